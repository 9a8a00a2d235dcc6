#include "views/panels/ranking_table.h"

#include "views/panels/elided_combo.h"
#include "views/panels/other_prompt_row.h"
#include "views/panels/plain_table.h"
#include "views/panels/segments.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/part_ranking.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>

namespace headloom {

namespace {

constexpr int mostRankingLines = 10;
constexpr std::size_t mostParts = 500;  ///< listed; nobody reads further down

QComboBox* box(const QString& name, std::initializer_list<std::pair<QString, int>> items) {
    auto* made = ElidedCombo::narrow(name);
    for (const auto& [title, value] : items) made->addItem(title, value);
    return made;
}

}  // namespace

RankingTable::RankingTable(PartRanking& ranking, ExploreViewModel& model, const Theme& theme,
                           QWidget* parent)
    : QWidget(parent),
      ranking_(&ranking),
      model_(&model),
      theme_(&theme),
      kind_(box(tr("What is switched off"),
                {{tr("tiles"), static_cast<int>(ModelPart::Kind::tile)},
                 {tr("heads"), static_cast<int>(ModelPart::Kind::head)},
                 {tr("pseudo-heads, as query"), static_cast<int>(ModelPart::Kind::pseudoQuery)},
                 {tr("pseudo-heads, as key"), static_cast<int>(ModelPart::Kind::pseudoKey)},
                 {tr("mixing weights"), static_cast<int>(ModelPart::Kind::weight)},
                 {tr("attention of a layer"), static_cast<int>(ModelPart::Kind::attention)},
                 {tr("MLPs"), static_cast<int>(ModelPart::Kind::mlp)},
                 {tr("layers"), static_cast<int>(ModelPart::Kind::layer)}})),
      instead_(
          box(tr("What takes its place"), {{tr("by zero"), static_cast<int>(Instead::zero)},
                                           {tr("by mean"), static_cast<int>(Instead::mean)},
                                           {tr("self only"), static_cast<int>(Instead::self)},
                                           {tr("by other"), static_cast<int>(Instead::other)}})),
      scope_(box(tr("Of which layers"), {{tr("all layers"), 0}, {tr("this layer"), 1}})),
      steps_(box(tr("Over which answers"), {{tr("whole chain"), 0}, {tr("this step"), 1}})),
      other_(new OtherPromptRow(model, theme)),
      start_(textButton(tr("Rank"), tr("Switch each of these parts off alone and compare"))),
      progress_(new QProgressBar),
      text_(new QLabel),
      parts_(plainTable({tr("Off"), tr("Left"), tr("Nats"), tr("Wrong")})) {
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Share of the parts that are tried"));
    text_->setProperty("role", "soft");
    text_->setWordWrap(true);
    parts_->setAccessibleName(tr("Parts by what the answers lose without them"));
    parts_->headerItem()->setToolTip(1, tr("Mean probability of the answers without the part"));
    parts_->headerItem()->setToolTip(2, tr("Mean of log(without / with), in nats"));
    parts_->headerItem()->setToolTip(3, tr("Answers that become other ones"));
    parts_->setToolTip(tr("Return or a double click switches the part off"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(kind_, 0, 0);
    grid->addWidget(scope_, 0, 1);
    grid->addWidget(instead_, 1, 0);
    grid->addWidget(steps_, 1, 1);
    grid->addWidget(other_, 2, 0, 1, 2);
    grid->addWidget(start_, 3, 0);
    grid->addWidget(progress_, 3, 1);
    grid->addWidget(text_, 4, 0, 1, 2);
    grid->addWidget(parts_, 5, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    other_->hide();
    connect(instead_, &QComboBox::currentIndexChanged, this, [this] {
        other_->setVisible(instead_->currentData().toInt() == static_cast<int>(Instead::other));
    });
    connect(start_, &QToolButton::clicked, this, &RankingTable::start);
    connect(&ranking, &PartRanking::changed, this, &RankingTable::refresh);
    connect(parts_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        const auto at = static_cast<std::size_t>(parts_->indexOfTopLevelItem(item));
        if (at >= ranking_->effects().size()) return;
        const Cut cut = ranking_->effects()[at].cut;
        model_->edits().toggle(ranking_->side(), cut.part, cut.instead);
    });
    connect(&theme, &Theme::changed, this, &RankingTable::restyle);
    restyle();
}

void RankingTable::start() {
    if (ranking_->running()) return ranking_->cancel();
    PartRanking::Question question;
    question.side = side_;
    question.kind = static_cast<ModelPart::Kind>(kind_->currentData().toInt());
    question.instead = static_cast<Instead>(instead_->currentData().toInt());
    question.layerOnly = scope_->currentData().toInt() == 1;
    question.stepOnly = steps_->currentData().toInt() == 1;
    ranking_->start(question);
}

void RankingTable::refresh() {
    const bool running = ranking_->running();
    start_->setText(running ? tr("Stop") : tr("Rank"));
    progress_->setVisible(running);
    progress_->setValue(static_cast<int>(1000 * ranking_->progress()));
    if (running && parts_->topLevelItemCount() == 0) return;
    text_->setText(ranking_->text());
    text_->setVisible(!text_->text().isEmpty());
    parts_->clear();
    const std::vector<PartEffect>& effects = ranking_->effects();
    for (std::size_t i = 0; i < std::min(mostParts, effects.size()); ++i) {
        const PartEffect& effect = effects[i];
        auto* line =
            new QTreeWidgetItem(parts_, {QString::fromStdString(nameOf(effect.cut.part)),
                                         QString::number(effect.after, 'f', 3),
                                         QString::number(effect.logRatio, 'f', 2)
                                             .replace(QLatin1Char('-'), QStringLiteral("−")),
                                         QString::number(effect.flipped)});
        alignNumbers(*line);
    }
    parts_->setVisible(!effects.empty());
    fitRows(*parts_, *theme_, mostRankingLines);
}

void RankingTable::restyle() {
    auto* grid = static_cast<QGridLayout*>(layout());
    grid->setHorizontalSpacing(theme_->pixels(8));
    grid->setVerticalSpacing(theme_->pixels(6));
    refresh();
}

}  // namespace headloom
