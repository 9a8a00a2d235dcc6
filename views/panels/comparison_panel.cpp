#include "views/panels/comparison_panel.h"

#include "views/panels/comparison_delegate.h"
#include "views/viewmodels/explore_view_model.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

ComparisonPanel::ComparisonPanel(const QString& title, const QString& hint, int steadyRows,
                                 Rows rows, ExploreViewModel& model, const Theme& theme,
                                 QWidget* parent)
    : QFrame(parent),
      model_(&model),
      theme_(&theme),
      makeRows_(std::move(rows)),
      steadyRows_(steadyRows),
      table_(new ComparisonModel(this)),
      heading_(new QToolButton),
      subtitle_(new QLabel),
      hint_(new QLabel(hint)),
      head_(new QWidget),
      view_(new QTableView) {
    heading_->setText(title);
    heading_->setProperty("look", "heading");
    heading_->setAccessibleName(tr("%1: fold or unfold").arg(title));
    heading_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    heading_->setFocusPolicy(Qt::TabFocus);
    subtitle_->setProperty("role", "soft");
    hint_->setProperty("role", "faint");
    hint_->setWordWrap(true);
    hint_->setAlignment(Qt::AlignLeft | Qt::AlignTop);

    view_->setModel(table_);
    view_->setItemDelegate(new ComparisonDelegate(theme, view_));
    view_->setAccessibleName(title);
    view_->setShowGrid(false);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setSelectionMode(QAbstractItemView::NoSelection);
    view_->setFocusPolicy(Qt::NoFocus);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->verticalHeader()->hide();
    view_->horizontalHeader()->hide();
    view_->horizontalHeader()->setMinimumSectionSize(1);
    view_->setWordWrap(false);
    view_->viewport()->setAutoFillBackground(false);

    auto* headLine = new QHBoxLayout(head_);
    headLine->setContentsMargins(0, 0, 0, 0);
    headLine->addWidget(heading_);
    headLine->addWidget(subtitle_, 1);
    auto* all = new QVBoxLayout(this);
    all->setSpacing(0);
    all->addWidget(head_);
    all->addWidget(view_);
    all->addWidget(hint_);

    connect(heading_, &QToolButton::clicked, this, [this] { setOpen(!open_); });
    connect(&model, &ExploreViewModel::runsChanged, this, &ComparisonPanel::markStale);
    connect(&model.selection(), &Selection::stepChanged, this, &ComparisonPanel::markStale);
    connect(&theme, &Theme::changed, this, &ComparisonPanel::restyle);
    restyle();
}

void ComparisonPanel::setSubtitle(const QString& text) {
    subtitle_->setText(text);
}

void ComparisonPanel::addControl(QWidget* control) {
    head_->layout()->addWidget(control);
}

void ComparisonPanel::setOpen(bool open) {
    open_ = open;
    restyle();
    markStale();
}

void ComparisonPanel::markStale() {
    stale_ = true;
    if (isVisible()) refresh();
}

void ComparisonPanel::showEvent(QShowEvent* event) {
    QFrame::showEvent(event);
    refresh();
}

void ComparisonPanel::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fitHeight();
}

void ComparisonPanel::refresh() {
    if (!stale_) return;
    stale_ = false;
    table_->setTitles(model_->shortName(Side::left), model_->shortName(Side::right));
    table_->setInterleaved(model_->interleaves(Side::left), model_->interleaves(Side::right));
    if (isOpen()) table_->setRows(makeRows_());
    fitHeight();
}

void ComparisonPanel::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(4), edge, theme_->pixels(5));
    const QString kind =
        theme_->kind() == ThemeKind::dark ? QStringLiteral("dark") : QStringLiteral("light");
    const QString chevron = open_ ? QStringLiteral("down") : QStringLiteral("right");
    heading_->setIcon(QIcon(QStringLiteral(":/icons/chevron-%1-%2.svg").arg(chevron, kind)));
    heading_->setIconSize(QSize(theme_->pixels(9), theme_->pixels(9)));
    hint_->setContentsMargins(theme_->pixels(4), theme_->pixels(2), 0, 0);
    view_->verticalHeader()->setMinimumSectionSize(1);
    view_->verticalHeader()->setDefaultSectionSize(theme_->pixels(20));
    fitHeight();
}

void ComparisonPanel::fitHeight() {
    const bool filled = table_->rowCount() > 0;
    view_->setVisible(isOpen() && filled);
    hint_->setVisible(isOpen() && !filled);
    const int line = theme_->pixels(20);
    view_->setFixedHeight(std::max(table_->rowCount(), steadyRows_) * line);
    hint_->setFixedHeight(std::max(1, steadyRows_) * line);
    const int width = std::max(1, this->width() - 2 * theme_->pixels(14));
    const int number = std::min(theme_->pixels(96), width / 3);
    view_->setColumnWidth(ComparisonModel::labelColumn, width - 2 * number);
    view_->setColumnWidth(ComparisonModel::leftColumn, number);
    view_->setColumnWidth(ComparisonModel::rightColumn, number);
}

}  // namespace headloom
