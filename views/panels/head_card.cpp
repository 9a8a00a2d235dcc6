#include "views/panels/head_card.h"

#include "views/panels/loom_sheets.h"
#include "views/panels/mass_grid.h"
#include "views/theme/style.h"
#include "views/viewmodels/explore_view_model.h"

#include <QMouseEvent>
#include <QToolButton>

#include <algorithm>

namespace headloom {

HeadCard::HeadCard(ExploreViewModel& model, Side side, int head, const Theme& theme,
                   QWidget* parent)
    : QFrame(parent),
      model_(&model),
      side_(side),
      head_(head),
      theme_(&theme),
      title_(new QToolButton(this)),
      picture_(new HeatmapView(theme, this)),
      masses_(new MassGrid(theme, this)) {
    title_->setText(tr("head %1").arg(head));
    title_->setAccessibleName(tr("Open head %1").arg(head));
    title_->setProperty("look", "quiet");
    title_->setFocusPolicy(Qt::TabFocus);
    picture_->setPreview(true);
    picture_->setAccessibleName(tr("Tiles of head %1").arg(head));
    picture_->setFocusPolicy(Qt::NoFocus);
    setToolTip(tr("Head %1: its tiles and their masses. Click to open it").arg(head));
    connect(title_, &QToolButton::clicked, this, &HeadCard::open);
    connect(picture_, &HeatmapView::tileClicked, this, [this](int tile) {
        const int pseudos = std::max(1, model_->head(side_).pseudos);
        model_->selection().setOpen(side_, MapRef::tile(head_, tile / pseudos, tile % pseudos));
    });
    connect(&model.selection(), &Selection::openChanged, this, &HeadCard::followOpen);
    connect(&model.selection(), &Selection::hoveredTokenChanged, this, [this] {
        picture_->setLinkedToken(model_->cellOf(side_, model_->selection().hoveredToken()));
    });
    refresh();
}

void HeadCard::open() {
    const MapRef now = model_->selection().open(side_);
    model_->selection().setOpen(side_, MapRef::tile(head_, now.p, now.r));
}

void HeadCard::refresh() {
    picture_->setSheet(headSheet(*model_, side_, head_).sheet);
    fit(size());
    followOpen();
}

void HeadCard::followOpen() {
    const MapRef open = model_->selection().open(side_);
    const int pseudos = model_->head(side_).pseudos;
    const bool here = open.head == head_;
    const int marked = here && !open.effective ? open.p * pseudos + open.r : -1;
    masses_->setMasses(model_->masses(side_, head_), pseudos, marked);
    picture_->setSelectedTile(marked);
    const QString look = here ? QStringLiteral("open") : QStringLiteral("true");
    if (property("card").toString() == look) return;
    setProperty("card", look);
    repolish(this);
}

void HeadCard::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) open();
}

void HeadCard::resizeEvent(QResizeEvent*) {
    fit(size());
}

void HeadCard::fit(const QSize& size) {
    const int edge = theme_->pixels(7);
    const int line = theme_->pixels(24);
    const int width = size.width() - 2 * edge;
    const int height = size.height() - line - 2 * edge;
    title_->setGeometry(edge / 2, edge / 2, std::min(width, title_->sizeHint().width()), line);
    const int top = line + edge;
    picture_->setVisible(!picture_->sheet().isEmpty());
    if (!picture_->isVisibleTo(this)) {  // its maps are not held, what they sum to is
        masses_->setGeometry(edge, top, width, height);
        masses_->show();
        return;
    }
    const QSize numbers = masses_->sizeHint();
    const int gap = theme_->pixels(6);
    if (height >= numbers.height() + gap + width / 2) {
        const int side = std::min(width, height - numbers.height() - gap);
        picture_->setGeometry(edge + (width - side) / 2, top, side, side);
        masses_->setGeometry(edge + (width - side) / 2, top + side + gap, side, numbers.height());
        masses_->show();
        return;
    }
    const int side = std::max(1, std::min(height, width - gap - numbers.width()));
    const int picture = side < theme_->pixels(40) ? std::min(height, width) : side;
    picture_->setGeometry(edge, top, picture, picture);
    masses_->setGeometry(edge + picture + gap, top, std::max(0, width - picture - gap), picture);
    masses_->setVisible(picture == side);
}

}  // namespace headloom
