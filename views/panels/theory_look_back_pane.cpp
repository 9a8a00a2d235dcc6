#include "views/panels/theory_look_back_pane.h"

#include "views/heatmap/colour_bar.h"
#include "views/heatmap/heatmap_view.h"
#include "views/panels/segments.h"
#include "views/panels/theory_choice.h"
#include "views/panels/theory_look_back_column.h"
#include "views/panels/theory_look_back_words.h"
#include "views/panels/theory_slider.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

namespace {

constexpr int lastOnSlider = 99, lastTyped = 999'999;  // held-out examples

}  // namespace

TheoryLookBackPane::TheoryLookBackPane(const Theme& theme, QWidget* parent)
    : TheoryPart(tr("Look-back bank"),
                 tr("Two heads, four jobs: every token names those before it, each in a slot of "
                    "its own. Trained models read the same example; Page Down takes the next one."),
                 theme, parent),
      view_(new TheoryChoice(
          tr("Maps"),
          tr("Effective maps M[target head, source head] multiply the values; a pseudo-query's map "
             "is the sum of its tiles; mixes are weighted sums of the effective maps"),
          TheoryLookBackModel::viewNames(), theme)),
      example_(new TheorySlider(tr("Example"), tr("Held-out example, counted from 0"), 0,
                                lastOnSlider, theme)),
      train_(textButton(tr("Train these arms…"),
                        tr("Sets the task and its arms up on the Train page, to see how these maps "
                           "come about"))),
      tokens_(wordsOf("small")),
      problem_(wordsOf("danger")),
      pointed_(wordsOf("small")),
      verdict_(wordsOf("small")),
      claim_(wordsOf("small")),
      arms_(new QHBoxLayout),
      scale_(new ColourBar(theme)) {
    example_->setMostTyped(lastTyped);
    rows().addWidget(controls());
    rows().addWidget(problem_);
    rows().addLayout(arms_, 1);
    auto* reading = new QHBoxLayout;
    reading->setObjectName(QStringLiteral("reading"));
    reading->addWidget(tokens_, 3);
    reading->addWidget(pointed_, 3);
    reading->addWidget(scale_, 2);
    rows().addLayout(reading);
    rows().addWidget(verdict_);
    rows().addWidget(claim_);
    connect(&model_, &TheoryLookBackModel::askedChanged, this, &TheoryLookBackPane::refreshAsked);
    connect(&model_, &TheoryLookBackModel::openedChanged, this, &TheoryLookBackPane::refreshOpened);
    connect(&model_, &TheoryLookBackModel::exampleChanged, this, &TheoryLookBackPane::refreshMaps);
    connect(&theme, &Theme::changed, this, &TheoryLookBackPane::restyle);
    restyle();
}

void TheoryLookBackPane::begin() {
    model_.begin();
}

void TheoryLookBackPane::step(int by) {
    model_.setExample(model_.example() + by);
}

QWidget* TheoryLookBackPane::controls() {
    auto* made = new QWidget;
    auto* line = new QHBoxLayout(made);
    line->setObjectName(QStringLiteral("controls"));
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(view_);
    line->addWidget(example_, 1);
    line->addWidget(train_);
    connect(train_, &QToolButton::clicked, this,
            [this] { emit trainAsked(QLatin1String(lookBackTask)); });
    connect(view_, &TheoryChoice::changed, this,
            [this](int view) { model_.setView(static_cast<TheoryLookBackModel::View>(view)); });
    connect(example_, &TheorySlider::changed, &model_, &TheoryLookBackModel::setExample);
    return made;
}

void TheoryLookBackPane::refreshAsked() {
    view_->setValue(static_cast<int>(model_.view()));
    example_->setValue(model_.example());
    refreshMaps();
}

void TheoryLookBackPane::refreshOpened() {
    problem_->setText(model_.problem());
    problem_->setVisible(!model_.problem().isEmpty());
    verdict_->setText(model_.verdict());
    claim_->setText(model_.arms()                ? lookBackClaim(*model_.arms())
                    : model_.problem().isEmpty() ? tr("Opening the trained models…")
                                                 : QString());
    refreshMaps();
}

void TheoryLookBackPane::refreshMaps() {
    const std::vector<LookBackColumn> shown = model_.columns();
    const LookBackScale scale = scaleOf(shown, model_.rows());
    while (columns_.size() < shown.size()) {
        columns_.push_back(new TheoryLookBackColumn(theme()));
        connect(columns_.back(), &TheoryLookBackColumn::pointed, pointed_, &QLabel::setText);
        arms_->addWidget(columns_.back());
    }
    for (std::size_t i = 0; i < shown.size(); ++i) {
        columns_[i]->show(shown[i], model_, scale);
        arms_->setStretch(static_cast<int>(i), columns_[i]->mapsAcross() + 1);  // room for words
    }
    const QStringList tokens = model_.tokens();
    tokens_->setText(
        tokens.isEmpty()
            ? QString()
            : tr("Example %1: %2").arg(model_.example()).arg(tokens.join(QLatin1Char(' '))));
    scale_->setVisible(!tokens.isEmpty());
    if (!tokens.isEmpty()) scale_->setMapping(columns_.front()->map(0).valueMapping(0));
}

void TheoryLookBackPane::restyle() {
    const int edge = theme().pixels(14);
    for (const char* name : {"controls", "reading"})
        findChild<QHBoxLayout*>(QString::fromLatin1(name))->setSpacing(edge);
    arms_->setSpacing(edge);
    refreshOpened();
}

}  // namespace headloom
