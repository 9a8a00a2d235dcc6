#include "views/window/picture_sequence.h"

#include "views/window/main_window.h"

#include <QDir>
#include <QPixmap>
#include <QSaveFile>
#include <QTimer>

#include <utility>

namespace headloom {

PictureSequence::PictureSequence(MainWindow& window, const QString& folder)
    : QObject(&window), window_(window), folder_(folder), moments_(window.training().moments()) {
    connect(&window.model().session(), &ExploreSession::answered, this, [this] {
        // Panels repaint on the way back to the event loop, so the picture is taken after it.
        // An answer to an earlier wish is not the moment's.
        if (window_.model().session().busy()) return;
        if (std::exchange(waiting_, false)) QTimer::singleShot(0, this, &PictureSequence::take);
    });
}

void PictureSequence::start() {
    window_.training().stop();
    QTimer::singleShot(0, this, &PictureSequence::next);
}

void PictureSequence::next() {
    if (at_ == moments_.size()) return end({});
    waiting_ = true;
    if (!window_.training().showMoment(moments_[at_])) {
        waiting_ = false;
        end(tr("the kept moments are no longer there"));
    }
}

void PictureSequence::take() {
    const QString name = QStringLiteral("step-%1.png").arg(moments_[at_], 7, 10, QLatin1Char('0'));
    QSaveFile file(QDir(folder_).filePath(name));
    const QPixmap picture = window_.grab();
    if (!file.open(QIODevice::WriteOnly) || !picture.save(&file, "PNG") || !file.commit())
        return end(tr("%1 could not be written: %2; name a folder that can be written to")
                       .arg(file.fileName(), file.errorString()));
    ++at_;
    next();
}

void PictureSequence::end(const QString& problem) {
    window_.training().showNewest();
    emit finished(static_cast<int>(at_), problem);
    deleteLater();
}

}  // namespace headloom
