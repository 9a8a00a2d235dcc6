#include "views/window/recent_menu.h"

#include "views/window/main_window.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QMenu>

namespace headloom {

namespace {

constexpr int longestFolder = 48;  // characters

struct RecentMenu {
    Q_DECLARE_TR_FUNCTIONS(RecentMenu)
};

/// The folder of a file, short enough for a menu: its end tells more than its beginning.
QString shortFolder(const QFileInfo& file) {
    QString folder = file.absolutePath();
    const QString home = QDir::homePath();
    if (folder.startsWith(home + QLatin1Char('/')))
        folder.replace(0, home.size(), QStringLiteral("~"));
    return folder.size() <= longestFolder ? folder
                                          : QStringLiteral("…") + folder.right(longestFolder - 1);
}

void addEntry(MainWindow& window, QMenu* menu, const RecentFile& recent, int number) {
    const QFileInfo file(recent.path);
    QString text = RecentMenu::tr("&%1  %2  (%3)")
                       .arg(number % RecentFiles::most)
                       .arg(file.fileName().replace(QLatin1Char('&'), QStringLiteral("&&")),
                            shortFolder(file).replace(QLatin1Char('&'), QStringLiteral("&&")));
    const bool there = file.exists();
    if (!there) text += RecentMenu::tr(" — not there any more");
    QAction* action = menu->addAction(text);
    action->setEnabled(there);
    action->setToolTip(!there ? RecentMenu::tr("%1 was moved or deleted").arg(recent.path)
                       : recent.side == Side::left
                           ? RecentMenu::tr("%1, in the left column").arg(recent.path)
                           : RecentMenu::tr("%1, in the right column").arg(recent.path));
    if (number == 1) action->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_T);
    QObject::connect(action, &QAction::triggered, &window, [&window, recent] {
        window.model().session().openFile(recent.side, recent.path, recent.tokenizer);
    });
}

void fill(MainWindow& window, QMenu* menu) {
    menu->clear();
    int number = 0;
    for (const RecentFile& recent : window.recent().files())
        addEntry(window, menu, recent, ++number);
    if (number > 0) menu->addSeparator();
    QAction* clear = menu->addAction(RecentMenu::tr("&Clear this list"));
    clear->setShortcut(Qt::CTRL | Qt::ALT | Qt::Key_Backspace);
    clear->setEnabled(number > 0);
    QObject::connect(clear, &QAction::triggered, &window, [&window] { window.recent().clear(); });
}

}  // namespace

void addRecentMenu(MainWindow& window, QMenu* to) {
    QMenu* menu = to->addMenu(RecentMenu::tr("Open re&cent"));
    menu->setToolTipsVisible(true);
    const auto refill = [&window, menu] { fill(window, menu); };
    // Queued: an entry that was chosen moves to the front, and must not be deleted in its own turn.
    QObject::connect(&window.recent(), &RecentFiles::changed, menu, refill, Qt::QueuedConnection);
    // Files come and go while the program runs.
    QObject::connect(menu, &QMenu::aboutToShow, menu, refill);
    refill();
}

}  // namespace headloom
