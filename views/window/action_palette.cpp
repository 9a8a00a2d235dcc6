#include "views/window/action_palette.h"

#include "views/window/main_window.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>

namespace headloom {

namespace {

QString withoutMarks(const QString& title) {
    // without what an example is about
    return QString(title).remove(u'&').remove(u'…').section(QStringLiteral(" — "), 0, 0);
}

}  // namespace

ActionPalette::ActionPalette(MainWindow& window)
    : QDialog(&window), field_(new QLineEdit), list_(new QListWidget) {
    setWindowTitle(tr("Find an action"));
    setAttribute(Qt::WA_DeleteOnClose);
    field_->setPlaceholderText(tr("Part of a name, such as reset or layer up"));
    field_->setAccessibleName(tr("Name of the action"));
    field_->installEventFilter(this);
    list_->setAccessibleName(tr("Actions"));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setTextElideMode(Qt::ElideMiddle);
    auto* all = new QVBoxLayout(this);
    all->addWidget(field_);
    all->addWidget(list_);
    collect({}, window.menuBar()->actions());
    connect(field_, &QLineEdit::textChanged, this, &ActionPalette::search);
    connect(field_, &QLineEdit::returnPressed, this, &ActionPalette::run);
    connect(list_, &QListWidget::itemClicked, this, &ActionPalette::run);
    const Theme& theme = window.appearance().theme();
    resize(theme.pixels(520), theme.pixels(420));
    search({});
}

void ActionPalette::collect(const QString& place, const QList<QAction*>& actions) {
    for (QAction* action : actions) {
        if (action->isSeparator() || action->text().isEmpty()) continue;  // or a sentence
        const QString name = place + withoutMarks(action->text());
        if (QMenu* menu = action->menu()) {
            emit menu->aboutToShow();  // some bring their ticks up to date only then
            collect(tr("%1 › ").arg(name), menu->actions());
        } else {
            entries_.push_back({action, name});
        }
    }
}

void ActionPalette::search(const QString& words) {
    list_->clear();
    listed_.clear();
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    for (const Entry& entry : entries_) {
        const bool fits = std::all_of(wanted.begin(), wanted.end(), [&entry](const QString& word) {
            return entry.name.contains(word, Qt::CaseInsensitive);
        });
        if (!fits) continue;
        const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText);
        const QString mark = entry.action->isChecked() ? tr("✓ ") : QString();
        auto* item = new QListWidgetItem(
            keys.isEmpty() ? mark + entry.name : tr("%1%2    %3").arg(mark, entry.name, keys),
            list_);
        if (!entry.action->isEnabled()) {
            item->setFlags(Qt::NoItemFlags);
            item->setToolTip(tr("Not possible now"));
        }
        listed_.push_back(entry.action);
    }
    for (int row = 0; row < list_->count() && list_->currentRow() < 0; ++row)
        if (list_->item(row)->flags() & Qt::ItemIsEnabled) list_->setCurrentRow(row);
}

/// The arrows walk the list while the keyboard stays in the field.
bool ActionPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != field_ || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key != Qt::Key_Up && key != Qt::Key_Down) return false;
    const int by = key == Qt::Key_Up ? -1 : 1;
    for (int row = list_->currentRow() + by; row >= 0 && row < list_->count(); row += by) {
        if (!(list_->item(row)->flags() & Qt::ItemIsEnabled)) continue;
        list_->setCurrentRow(row);
        break;
    }
    return true;
}

/// Closed first: what an action opens or focuses must not lie behind this.
void ActionPalette::run() {
    const int row = list_->currentRow();
    if (row < 0 || row >= listed_.size() || !listed_[row]->isEnabled()) return;
    const QPointer<QAction> action = listed_[row];
    hide();
    if (action) action->trigger();
    close();
}

}  // namespace headloom
