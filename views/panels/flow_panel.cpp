#include "views/panels/flow_panel.h"

#include "views/panels/flow_layout.h"
#include "views/panels/flow_view.h"
#include "views/panels/segments.h"
#include "views/viewmodels/explore_view_model.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace headloom {

namespace {
constexpr int mostSourceHeight = 108;
}

FlowPanel::FlowPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      flow_(model),
      sides_{segmentButton(tr("Left"), tr("Lines of the left column")),
             segmentButton(tr("Right"), tr("Lines of the right column"))},
      maps_(new QComboBox),
      threshold_(new QDoubleSpinBox),
      allRows_(segmentButton(tr("All rows"), tr("Lines of every row up to the current one"))),
      allShown_(segmentButton(tr("All lines"), tr("Draw the lines of all maps, or of none"))),
      sourceRoom_(new QScrollArea),
      sources_(new QWidget),
      formula_(new QLabel),
      hint_(new QLabel),
      view_(new FlowView(theme)),
      scroll_(new QScrollArea) {
    new FlowLayout(sources_);
    sourceRoom_->setWidget(sources_);
    sourceRoom_->setWidgetResizable(true);
    sourceRoom_->setFrameShape(QFrame::NoFrame);
    sourceRoom_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    sourceRoom_->setFocusPolicy(Qt::NoFocus);
    sourceRoom_->viewport()->installEventFilter(this);
    formula_->setProperty("role", "small");
    hint_->setProperty("role", "faint");
    for (QLabel* label : {formula_, hint_}) {
        label->setWordWrap(true);
        label->setMinimumWidth(1);
    }
    scroll_->setWidget(view_);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->viewport()->installEventFilter(this);
    auto* axes = new QLabel(tr("from token, left, to token, right"));
    axes->setProperty("role", "small");
    auto* all = new QVBoxLayout(this);
    all->addLayout(controls());
    all->addWidget(sourceRoom_);
    all->addWidget(formula_);
    all->addWidget(hint_);
    all->addWidget(axes);
    all->addWidget(scroll_, 1);
    connect(view_, &FlowView::rowChosen, &model.selection(), &Selection::setStep);
    connect(&flow_, &FlowModel::changed, this, &FlowPanel::refresh);
    connect(&theme, &Theme::changed, this, &FlowPanel::restyle);
    restyle();
}

QLayout* FlowPanel::controls() {
    const std::pair<QString, FlowModel::Maps> choices[] = {
        {tr("Heads"), FlowModel::Maps::heads},
        {tr("Tiles of the head"), FlowModel::Maps::tiles},
        {tr("Tiles of the layer"), FlowModel::Maps::layerTiles},
        {tr("Effective maps of the head"), FlowModel::Maps::effective},
        {tr("Effective maps of the layer"), FlowModel::Maps::layerEffective},
        {tr("Rollout"), FlowModel::Maps::rollout},
        {tr("Flow"), FlowModel::Maps::flow}};
    for (const auto& [text, maps] : choices) maps_->addItem(text, static_cast<int>(maps));
    maps_->setAccessibleName(tr("What lines are drawn of"));
    maps_->setToolTip(
        tr("Heads of the layer, tiles or effective maps of the open head or of all, or what comes "
           "through all layers: attention rollout, or the most that can flow"));
    threshold_->setRange(0, 1);
    threshold_->setSingleStep(0.02);
    threshold_->setDecimals(2);
    threshold_->setPrefix(tr("above "));
    threshold_->setValue(flow_.threshold());
    threshold_->setAccessibleName(tr("Weight above which a line is drawn"));
    threshold_->setToolTip(threshold_->accessibleName());

    auto* first = new QHBoxLayout;
    first->addWidget(segmentRow({sides_[0], sides_[1]}));
    first->addStretch(1);
    first->addWidget(allShown_);
    first->addWidget(allRows_);
    auto* second = new QHBoxLayout;
    second->addWidget(maps_);
    second->addWidget(threshold_);
    second->addStretch(1);
    auto* both = new QVBoxLayout;
    both->addLayout(first);
    both->addLayout(second);
    for (const Side side : bothSides)
        connect(sides_[static_cast<std::size_t>(indexOf(side))], &QToolButton::clicked, this,
                [this, side] { flow_.setSide(side); });
    connect(maps_, &QComboBox::activated, this,
            [this] { flow_.setMaps(static_cast<FlowModel::Maps>(maps_->currentData().toInt())); });
    connect(threshold_, &QDoubleSpinBox::valueChanged, &flow_, &FlowModel::setThreshold);
    connect(allShown_, &QToolButton::toggled, &flow_, &FlowModel::setAllShown);
    connect(allRows_, &QToolButton::toggled, &flow_, &FlowModel::setAllRows);
    return both;
}

void FlowPanel::choose(Side side, FlowModel::Maps maps) {
    maps_->setCurrentIndex(maps_->findData(static_cast<int>(maps)));
    flow_.setSide(side);
    flow_.setMaps(maps);
}

QSize FlowPanel::sizeHint() const {
    return {theme_->pixels(326), theme_->pixels(500)};
}

void FlowPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    flow_.setWanted(true);
    refresh();
}

void FlowPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    flow_.setWanted(false);
}

bool FlowPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == sourceRoom_->viewport()) {
        fitSources();
    } else if (event->type() == QEvent::Resize) {
        view_->setRoom(scroll_->viewport()->height());
        scrolledTo_ = -1;
        scrollToRow(view_->shown().row);
    }
    return QWidget::eventFilter(watched, event);
}

void FlowPanel::refresh() {
    if (!isVisible()) return;
    for (const Side side : bothSides) {
        QToolButton* button = sides_[static_cast<std::size_t>(indexOf(side))];
        const QString name = model_->shortName(side);
        button->setText(name.isEmpty() ? tr("none") : name);
        button->setAccessibleName(button->text());
        button->setChecked(side == flow_.side());
    }
    FlowShown shown = flow_.shown();
    const bool maps = shown.formula.isEmpty();
    allRows_->setEnabled(maps);
    formula_->setText(shown.formula);
    formula_->setVisible(!maps);
    hint_->setText(shown.hint);
    hint_->setVisible(!shown.hint.isEmpty());
    refreshSources(shown);
    const int row = shown.row;
    view_->show(std::move(shown));
    scrollToRow(row);
}

/// One button a source, in its colour: on, its lines are drawn.
void FlowPanel::refreshSources(const FlowShown& shown) {
    const std::size_t count = shown.formula.isEmpty() ? shown.sources.size() : 0;
    while (sourceButtons_.size() < count) {
        const int source = static_cast<int>(sourceButtons_.size());
        QToolButton* button = segmentButton(QString(), tr("Draw these lines"));
        connect(button, &QToolButton::toggled, this,
                [this, source](bool on) { flow_.setShown(source, on); });
        sources_->layout()->addWidget(button);
        sourceButtons_.push_back(button);
    }
    for (std::size_t i = 0; i < sourceButtons_.size(); ++i) {
        QToolButton* button = sourceButtons_[i];
        button->setVisible(i < count);
        if (i >= count) continue;
        const FlowSource& source = shown.sources[i];
        const QSignalBlocker quiet(button);
        button->setText(source.name);
        button->setAccessibleName(source.name);
        button->setChecked(source.shown);
        const QColor colour =
            source.shown ? sourceColour(*theme_, source.colour) : theme_->colours().textFaint;
        button->setStyleSheet(QStringLiteral("QToolButton { color: %1; }").arg(colour.name()));
    }
    sourceRoom_->setVisible(count > 1);
    fitSources();
    const QSignalBlocker quiet(allShown_);
    allShown_->setVisible(count > 1);
    allShown_->setChecked(std::all_of(shown.sources.begin(), shown.sources.end(),
                                      [](const FlowSource& source) { return source.shown; }));
}

/// As high as its lines, up to a share that leaves the picture its room.
void FlowPanel::fitSources() {
    const int wanted = sources_->layout()->heightForWidth(sourceRoom_->viewport()->width());
    sourceRoom_->setFixedHeight(std::min(wanted, theme_->pixels(mostSourceHeight)));
}

void FlowPanel::scrollToRow(int row) {
    if (row == scrolledTo_) return;
    scrolledTo_ = row;
    // once the lines have their height
    QTimer::singleShot(0, this, [this, row] {
        scroll_->ensureVisible(0, view_->rowCentre(row), 0, theme_->pixels(60));
    });
}

void FlowPanel::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(10), edge, theme_->pixels(10));
    layout()->setSpacing(theme_->pixels(8));
    sources_->layout()->setSpacing(theme_->pixels(2));
    setMinimumWidth(theme_->pixels(326));
    refresh();
}

}  // namespace headloom
