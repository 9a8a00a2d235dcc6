#include "views/panels/heads_panel.h"

#include "views/panels/list_table.h"
#include "views/panels/segments.h"
#include "views/panels/similarity_pane.h"
#include "views/viewmodels/explore_view_model.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

HeadsPanel::HeadsPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      heads_(model),
      sides_{segmentButton(tr("Left"), tr("Heads of the left column")),
             segmentButton(tr("Right"), tr("Heads of the right column"))},
      headsOnly_(segmentButton(tr("Heads only"), tr("List heads without their tiles"))),
      hint_(new QLabel),
      table_(listTable(heads_.list(), tr("Heads and tiles by what they do"),
                       [this](int row) { openRow(row); })),
      similarity_(new SimilarityPane(heads_, theme)) {
    hint_->setProperty("role", "faint");
    hint_->setWordWrap(true);
    hint_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* head = new QHBoxLayout;
    head->addWidget(segmentRow({sides_[0], sides_[1]}));
    head->addStretch(1);
    head->addWidget(headsOnly_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(head);
    all->addWidget(hint_, 1);
    all->addWidget(table_, 3);
    all->addWidget(similarity_, 2);

    for (const Side side : bothSides)
        connect(sides_[static_cast<std::size_t>(indexOf(side))], &QToolButton::clicked, this,
                [this, side] { heads_.setSide(side); });
    connect(headsOnly_, &QToolButton::toggled, this,
            [this](bool only) { heads_.list().setHeadsOnly(only); });
    connect(&heads_, &HeadsModel::changed, this, &HeadsPanel::refresh);
    connect(&model.selection(), &Selection::openChanged, this, &HeadsPanel::followOpen);
    connect(&model.selection(), &Selection::layerChanged, this, &HeadsPanel::followOpen);
    connect(&theme, &Theme::changed, this, &HeadsPanel::restyle);
    restyle();
    refresh();
}

void HeadsPanel::openRow(int row) {
    if (row < 0 || row >= heads_.list().rowCount()) return;
    const HeadLine line = heads_.list().line(row);
    heads_.open(line.layer, {line.scores.head, line.scores.p, line.scores.r, -1});
}

/// Marks the line of the map in view, also where it was opened elsewhere: the tile's, or its head's
/// where tiles are not listed.
void HeadsPanel::followOpen() {
    const MapRef& open = model_->selection().open(heads_.side());
    int found = -1;
    for (int row = 0; row < heads_.list().rowCount(); ++row) {
        const HeadLine& line = heads_.list().line(row);
        if (line.layer != model_->selection().layer() || line.scores.head != open.head) continue;
        const bool whole = line.scores.p < 0;
        const bool tile = line.scores.p == open.p && line.scores.r == open.r;
        if (tile || (whole && found < 0)) found = row;
    }
    if (found < 0) return table_->clearSelection();
    if (table_->currentIndex().row() == found) return table_->selectRow(found);
    table_->selectRow(found);
    table_->scrollTo(heads_.list().index(found, 0));
}

QSize HeadsPanel::sizeHint() const {
    return {theme_->pixels(326), theme_->pixels(500)};
}

void HeadsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    heads_.setWanted(true);
}

void HeadsPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    heads_.setWanted(false);
}

void HeadsPanel::refresh() {
    for (const Side side : bothSides) {
        QToolButton* button = sides_[static_cast<std::size_t>(indexOf(side))];
        const QString name = model_->shortName(side);
        button->setText(name.isEmpty() ? tr("none") : name);
        button->setAccessibleName(button->text());
        button->setChecked(side == heads_.side());
    }
    const QString hint = heads_.hint();
    hint_->setText(hint);
    hint_->setVisible(!hint.isEmpty());
    table_->setVisible(hint.isEmpty());
    followOpen();
}

void HeadsPanel::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(10), edge, theme_->pixels(10));
    layout()->setSpacing(theme_->pixels(8));
    restyleList(*table_, *theme_, 46);
    setMinimumWidth(theme_->pixels(326));
}

}  // namespace headloom
