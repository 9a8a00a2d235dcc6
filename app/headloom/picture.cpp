#include "app/headloom/picture.h"

#include "views/window/main_window.h"

#include <QApplication>
#include <QPixmap>
#include <QSaveFile>

namespace headloom {

void settle(MainWindow& window) {
    while (window.model().session().busy())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    // What the last answer scheduled: layouts and repaints.
    for (int round = 0; round < 3; ++round) {
        QApplication::sendPostedEvents();
        QApplication::processEvents();
    }
}

Result<void> savePicture(MainWindow& window, const QString& file) {
    const QPixmap picture = window.grab();
    QSaveFile out(file);
    const bool written =
        out.open(QIODevice::WriteOnly) && picture.save(&out, "PNG") && out.commit();
    if (!written)
        return fail(Error::Kind::ioFailure, file.toStdString(),
                    "the picture could not be written: " + out.errorString().toStdString(),
                    "name a PNG file in a folder that can be written to");
    return {};
}

}  // namespace headloom
