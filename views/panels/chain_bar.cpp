#include "views/panels/chain_bar.h"

#include "views/panels/chain_track.h"
#include "views/panels/elided_label.h"
#include "views/panels/glyphs.h"
#include "views/panels/side_colour.h"
#include "views/viewmodels/explore_view_model.h"

#include <QButtonGroup>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

namespace {

QLabel* caption(const char* role) {
    auto* label = new QLabel;
    label->setProperty("role", role);
    return label;
}

}  // namespace

QToolButton* ChainBar::button(const QString& name, const QString& tip) {
    auto* made = new QToolButton(this);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    made->setProperty("look", "quiet");
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

ChainBar::ChainBar(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QFrame(parent),
      model_(&model),
      theme_(&theme),
      track_(new ChainTrack(model, theme)),
      truth_(caption("soft")),
      left_(new ElidedLabel),
      right_(new ElidedLabel),
      note_(new ElidedLabel),
      first_(button(tr("First step"), tr("First step (Ctrl+Home)"))),
      back_(button(tr("Step back"), tr("Step back (Ctrl+Left)"))),
      play_(button(tr("Play"), tr("Play or pause (Space)"))),
      forward_(button(tr("Step forward"), tr("Step forward (Ctrl+Right)"))),
      last_(button(tr("Last step"), tr("Last step (Ctrl+End)"))),
      trueChain_(button(tr("True chain"), tr("Both models are fed the true tokens (Ctrl+T)"))),
      onItsOwn_(button(tr("On its own"),
                       tr("Each model is fed its own tokens; the first wrong one is marked "
                          "(Ctrl+T)"))) {
    setProperty("bar", "line");
    note_->setProperty("role", "accent");
    trueChain_->setText(tr("True chain"));
    onItsOwn_->setText(tr("On its own"));
    auto* modes = new QButtonGroup(this);
    for (QToolButton* mode : {trueChain_, onItsOwn_}) {
        mode->setProperty("look", "segment");
        mode->setCheckable(true);
        modes->addButton(mode);
    }
    auto* captions = new QVBoxLayout;
    captions->setSpacing(0);
    for (QLabel* label : std::initializer_list<QLabel*>{truth_, left_, right_})
        captions->addWidget(label);

    auto* transport = new QHBoxLayout;
    transport->setSpacing(0);
    for (QToolButton* one : {first_, back_, play_, forward_, last_}) transport->addWidget(one);
    transport->addStretch();
    auto* switches = new QHBoxLayout;
    switches->setSpacing(0);
    switches->addWidget(trueChain_);
    switches->addWidget(onItsOwn_);
    switches->addStretch();
    auto* controls = new QVBoxLayout;
    controls->setSpacing(0);
    controls->addLayout(switches);
    controls->addLayout(transport);
    controls->addWidget(note_);

    auto* all = new QHBoxLayout(this);
    all->addLayout(captions);
    all->addWidget(track_, 1);
    all->addLayout(controls);

    connect(first_, &QToolButton::clicked, &model, &ExploreViewModel::goToFirst);
    connect(back_, &QToolButton::clicked, &model, &ExploreViewModel::goBack);
    connect(play_, &QToolButton::clicked, this, [this] { model_->setPlaying(!model_->playing()); });
    connect(forward_, &QToolButton::clicked, &model, &ExploreViewModel::goForward);
    connect(last_, &QToolButton::clicked, &model, &ExploreViewModel::goToLast);
    connect(trueChain_, &QToolButton::clicked, this,
            [this] { model_->session().setOnItsOwn(false); });
    connect(onItsOwn_, &QToolButton::clicked, this,
            [this] { model_->session().setOnItsOwn(true); });
    connect(&model, &ExploreViewModel::runsChanged, this, &ChainBar::refresh);
    connect(&model, &ExploreViewModel::playingChanged, this, &ChainBar::restyle);
    connect(&model.selection(), &Selection::stepChanged, this, &ChainBar::refresh);
    connect(&model.session(), &ExploreSession::stateChanged, this, &ChainBar::refresh);
    connect(&theme, &Theme::changed, this, &ChainBar::restyle);
    restyle();
    refresh();
}

void ChainBar::refresh() {
    truth_->setText(model_->session().speaks() ? tr("True") : tr("Node"));
    left_->setVisible(model_->session().speaks());
    right_->setVisible(model_->session().speaks());
    left_->setWhole(model_->shortName(Side::left));
    right_->setWhole(model_->shortName(Side::right));
    colourLabel(left_, *model_, Side::left);
    colourLabel(right_, *model_, Side::right);
    const ExploreSession& session = model_->session();
    onItsOwn_->setEnabled(session.generated());
    (session.state().onItsOwn ? onItsOwn_ : trueChain_)->setChecked(true);
    const int index = model_->stepIndex();
    const int last = static_cast<int>(model_->steps().size()) - 1;
    for (QToolButton* one : {first_, back_}) one->setEnabled(index != 0 && last >= 0);
    for (QToolButton* one : {forward_, last_}) one->setEnabled(index != last && last >= 0);
    play_->setEnabled(last > 0);
    note_->setWhole(model_->stepText());
}

void ChainBar::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(2), edge, theme_->pixels(8));
    layout()->setSpacing(theme_->pixels(8));
    for (QLabel* label : std::initializer_list<QLabel*>{truth_, left_, right_})
        label->setFixedWidth(theme_->pixels(80));
    note_->setFixedWidth(theme_->pixels(216));
    first_->setIcon(glyphIcon(Glyph::first, *theme_));
    back_->setIcon(glyphIcon(Glyph::back, *theme_));
    play_->setIcon(glyphIcon(model_->playing() ? Glyph::pause : Glyph::play, *theme_));
    forward_->setIcon(glyphIcon(Glyph::forward, *theme_));
    last_->setIcon(glyphIcon(Glyph::last, *theme_));
    for (QToolButton* one : {first_, back_, play_, forward_, last_})
        one->setIconSize(QSize(theme_->pixels(16), theme_->pixels(16)));
}

}  // namespace headloom
