#include "views/panels/column_panel.h"

#include "views/panels/elided_combo.h"
#include "views/panels/elided_label.h"
#include "views/panels/glyphs.h"
#include "views/panels/head_grid_view.h"
#include "views/panels/head_strip.h"
#include "views/panels/load_banner.h"
#include "views/panels/loom_map.h"
#include "views/panels/mixing_panel.h"
#include "views/panels/side_colour.h"
#include "views/viewmodels/explore_view_model.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace headloom {

ColumnPanel::ColumnPanel(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent)
    : QFrame(parent),
      model_(&model),
      side_(side),
      theme_(&theme),
      mark_(new QLabel(sideMark(side))),
      choice_(new ElidedCombo),
      open_(new QToolButton),
      trained_(new QToolButton),
      again_(new QToolButton),
      summary_(new ElidedLabel),
      banner_(new LoadBanner(model, side, theme)),
      card_(new QFrame),
      map_(new LoomMap(model, side, theme)),
      grid_(new HeadGridView(model, side, theme)),
      strip_(new HeadStrip(model, side, theme)),
      mixing_(new MixingPanel(model, side, theme)) {
    const bool left = side == Side::left;
    choice_->setAccessibleName(left ? tr("Model of the left column")
                                    : tr("Model of the right column"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice_->setMinimumContentsLength(12);
    open_->setAccessibleName(tr("Open a model file"));
    open_->setToolTip(left ? tr("Open a model file in this column (Ctrl+O)")
                           : tr("Open a model file in this column (Ctrl+Shift+O)"));
    open_->setProperty("look", "quiet");
    open_->setFocusPolicy(Qt::TabFocus);
    trained_->setText(tr("Reset to trained"));
    trained_->setToolTip(left ? tr("Undo every edit of the left model's mixing weights")
                              : tr("Undo every edit of the right model's mixing weights"));
    again_->setText(tr("Run again"));
    again_->setToolTip(
        tr("Let the edited model choose its tokens anew; so far it was fed those from before the "
           "edit (Ctrl+Alt+G)"));
    for (QToolButton* button : {trained_, again_}) {
        button->setAccessibleName(button->text());
        button->setFocusPolicy(Qt::TabFocus);
        button->hide();
    }
    summary_->setProperty("role", "soft");
    card_->setProperty("card", "true");
    setAcceptDrops(true);
    map_->setAccessibleName(left ? tr("Maps of the left model") : tr("Maps of the right model"));
    map_->setEmptyHint(tr("No model stands here yet. Choose one above, or open a file"));

    auto* head = new QHBoxLayout;
    head->addWidget(mark_);
    head->addWidget(choice_, 1);
    head->addWidget(open_);
    head->addWidget(trained_);
    head->addWidget(again_);
    head->addWidget(summary_);
    head->addStretch(0);
    auto* inCard = new QVBoxLayout(card_);
    inCard->addWidget(map_);
    inCard->addWidget(grid_);
    grid_->hide();
    auto* maps = new QHBoxLayout;
    maps->addWidget(card_, 1);
    maps->addWidget(strip_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(head);
    all->addWidget(banner_);
    all->addLayout(maps, 1);
    all->addWidget(mixing_);

    connect(choice_, &QComboBox::activated, this, &ColumnPanel::chooseModel);
    connect(open_, &QToolButton::clicked, this, [this] { emit openRequested(side_); });
    connect(trained_, &QToolButton::clicked, this, [this] { model_->edits().resetMixing(side_); });
    connect(again_, &QToolButton::clicked, this, [this] { model_->session().runAgain(); });
    connect(&model.edits(), &ColumnEdits::changed, this,
            [this] { trained_->setVisible(model_->edits().mixingEdited(side_)); });
    connect(&model.session(), &ExploreSession::stateChanged, this, &ColumnPanel::fillChoices);
    connect(&theme, &Theme::changed, this, &ColumnPanel::restyle);
    restyle();
    fillChoices();
    refresh();
}

void ColumnPanel::fillChoices() {
    const QSignalBlocker quiet(choice_);
    choice_->clear();
    const auto at = static_cast<std::size_t>(indexOf(side_));
    const QString now = model_->session().state().columns[at].choice.id;
    for (const ModelChoice& choice : model_->session().choices()) {
        choice_->addItem(choice.title, choice.id);
        choice_->setItemData(choice_->count() - 1, choice.path, Qt::ToolTipRole);
    }
    choice_->setCurrentIndex(choice_->findData(now));
    choice_->setToolTip(choiceTip());
    choice_->setEnabled(choice_->count() > 0);
}

QString ColumnPanel::choiceTip() const {
    const QString tip = tr("Which model stands in this column: %1").arg(choice_->currentText());
    const QString memory = model_->head(side_).memory;
    return memory.isEmpty() ? tip : tip + QLatin1Char('\n') + memory;
}

void ColumnPanel::chooseModel(int index) {
    const std::vector<ModelChoice> choices = model_->session().choices();
    if (index >= 0 && index < static_cast<int>(choices.size()))
        model_->session().setChoice(side_, choices[static_cast<std::size_t>(index)]);
}

void ColumnPanel::refresh() {
    const ColumnHead head = model_->head(side_);
    QString summary = head.summary;
    if (head.iha) summary += tr(" · head %1 open").arg(model_->selection().open(side_).head);
    if (head.ended)
        summary += summary.isEmpty() ? tr("its chain has ended") : tr(" · its chain has ended");
    if (!head.bound.isEmpty()) summary += (summary.isEmpty() ? QString() : tr(" · ")) + head.bound;
    if (!head.copies.isEmpty()) summary.prepend(tr("⚠ pseudo-heads look alike · "));
    if (!head.cuts.isEmpty()) summary.prepend(tr("⊘ without %1 · ").arg(head.cuts));
    if (!head.edited.isEmpty()) summary.prepend(tr("✎ %1 edited · ").arg(head.edited));
    summary_->setWhole(summary);
    again_->setVisible(head.tokensKept);
    if (!head.copies.isEmpty()) summary_->setToolTip(head.copies);
    choice_->setToolTip(choiceTip());
    colourLabel(mark_, *model_, side_);
    const bool wide = card_->width() > card_->height();
    const bool grid = showsGrid();
    // what is hidden shows nothing, and costs nothing
    map_->setContent(grid ? LoomSheet() : mainSheet(*model_, side_, wide));
    showInCard(grid);
    strip_->setVisible(head.iha && !grid);
    fitStrip();
    mixing_->setVisible(head.mixes && !grid);
    if (head.iha && !grid) strip_->refresh();
}

bool ColumnPanel::showsGrid() const {
    return model_->display().values().scope == DisplayOptions::Scope::overview &&
           model_->head(side_).present;
}

/// The keyboard stays where it was: a head is opened and left without reaching for the mouse.
void ColumnPanel::showInCard(bool grid) {
    QWidget* shown = grid ? static_cast<QWidget*>(grid_) : map_;
    QWidget* hidden = grid ? static_cast<QWidget*>(map_) : grid_;
    const bool focused = hidden->hasFocus();
    shown->show();
    if (focused) shown->setFocus(Qt::OtherFocusReason);
    hidden->hide();
}

void ColumnPanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Backspace && event->modifiers() == Qt::NoModifier)
        return model_->setScope(DisplayOptions::Scope::overview);
    QFrame::keyPressEvent(event);
}

float ColumnPanel::largest(bool hideSink) const {
    const float main = largestOf(map_->sheet(), hideSink);
    const bool alike = !map_->sheet().isSigned && strip_->isVisibleTo(this);
    return alike ? std::max(main, strip_->largest(hideSink)) : main;
}

void ColumnPanel::setScale(const ColourScale& scale) {
    map_->setScale(scale);
    ColourScale small = scale;
    if (map_->sheet().isSigned) small.sharedMaximum = strip_->largest(scale.hideSink);
    strip_->setScale(small);
}

void ColumnPanel::fitStrip() {
    const int least = theme_->pixels(model_->head(side_).pseudos > 2 ? 226 : 190);
    const int narrow = std::min(least, width() / 3);
    strip_->setFixedWidth(std::clamp(width() / 4, narrow, theme_->pixels(320)));
}

void ColumnPanel::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fitStrip();
    const ColumnHead head = model_->head(side_);
    if (head.present && !head.iha && !showsGrid())
        map_->setContent(mainSheet(*model_, side_, card_->width() > card_->height()));
}

void ColumnPanel::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void ColumnPanel::dropEvent(QDropEvent* event) {
    model_->session().openFile(side_, event->mimeData()->urls().front().toLocalFile());
}

void ColumnPanel::restyle() {
    const int edge = theme_->pixels(6);
    layout()->setContentsMargins(edge, 0, edge, theme_->pixels(8));
    layout()->setSpacing(theme_->pixels(8));
    const int inset = theme_->pixels(8);
    card_->layout()->setContentsMargins(inset, inset, inset, inset);
    open_->setIcon(glyphIcon(Glyph::open, *theme_));
    open_->setIconSize(QSize(theme_->pixels(16), theme_->pixels(16)));
    choice_->setMaximumWidth(theme_->pixels(300));
}

}  // namespace headloom
