#include "views/panels/why_panel.h"

#include "views/heatmap/matrix_view.h"
#include "views/panels/plain_table.h"
#include "views/panels/segments.h"
#include "views/plots/waterfall_plot.h"
#include "views/viewmodels/explore_view_model.h"

#include <QCheckBox>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headloom {

namespace {

constexpr std::size_t mostSteps = 9;  ///< lines of a waterfall; the rest is one more
constexpr int mostSources = 16;       ///< heads a side that a matrix of terms is drawn for
constexpr int mostLensLines = 14;

struct Addend {
    QString label;
    double value = 0;
    LogitPart part;  ///< of a logit
};

/// The largest first, all others in one.
WaterfallContent waterfallOf(std::vector<Addend>& addends, const QString& totalLabel,
                             double total) {
    std::stable_sort(addends.begin(), addends.end(), [](const Addend& a, const Addend& b) {
        return std::abs(a.value) > std::abs(b.value);
    });
    WaterfallContent made;
    made.totalLabel = totalLabel;
    made.total = total;
    const std::size_t shown = addends.size() <= mostSteps + 1 ? addends.size() : mostSteps;
    for (std::size_t i = 0; i < shown; ++i)
        made.steps.push_back({addends[i].label, addends[i].value});
    if (shown < addends.size()) {
        const double rest =
            std::accumulate(addends.begin() + static_cast<std::ptrdiff_t>(shown), addends.end(),
                            0.0, [](double sum, const Addend& one) { return sum + one.value; });
        made.steps.push_back({WhyPanel::tr("%1 others").arg(addends.size() - shown), rest});
    }
    return made;
}

QString scoreText(double score) {
    return QString::number(score, 'f', 3).replace(QLatin1Char('-'), QStringLiteral("−"));
}

MatrixSheet sheetOf(const ScoreSplit& split) {
    MatrixSheet sheet;
    sheet.rows = static_cast<int>(split.querySources.size());
    sheet.columns = static_cast<int>(split.keySources.size());
    sheet.title = WhyPanel::tr("queries of (down) · keys of (across)");
    for (const int head : split.querySources) sheet.rowLabels << QStringLiteral("h%1").arg(head);
    for (const int head : split.keySources) sheet.columnLabels << QStringLiteral("h%1").arg(head);
    for (const double term : split.terms) sheet.values.push_back(static_cast<float>(term));
    return sheet;
}

/// The tiles of a head as one part, unless they are asked for one by one.
std::vector<Addend> addendsOf(const LogitAttribution& attribution, bool tiles) {
    std::vector<Addend> all;
    for (const LogitPart& part : attribution.parts) {
        if (part.kind != LogitPart::Kind::tile || tiles) {
            all.push_back({QString::fromStdString(nameOf(part)), part.value, part});
        } else if (part.p == 0 && part.r == 0) {
            const ModelPart head = ModelPart::ofHead(part.layer, part.head);
            all.push_back({QString::fromStdString(nameOf(head)),
                           attribution.head(part.layer, part.head), part});
        }
    }
    return all;
}

QString placeOf(const LensPoint& point) {
    switch (point.place) {
        case LensPoint::Place::residPre:
            return WhyPanel::tr("before layer %1").arg(point.layer);
        case LensPoint::Place::residMid:
            return WhyPanel::tr("before MLP %1").arg(point.layer);
        case LensPoint::Place::residPost:
            return WhyPanel::tr("after layer %1").arg(point.layer);
    }
    return {};
}

}  // namespace

WhyPanel::WhyPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QScrollArea(parent),
      model_(&model),
      theme_(&theme),
      why_(model),
      cellText_(new QLabel),
      shares_(new QLabel),
      terms_(new MatrixView(theme)),
      termSum_(new WaterfallPlot(theme)),
      left_(segmentButton(tr("Left"), tr("Explain the left model's answer"))),
      right_(segmentButton(tr("Right"), tr("Explain the right model's answer"))),
      tiles_(new QCheckBox(tr("Tile by tile"))),
      logitText_(new QLabel),
      parts_(new WaterfallPlot(theme)),
      lens_(plainTable({tr("If it ended"), tr("Says"), tr("p"), tr("Rank")})) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    for (QLabel* label : {cellText_, shares_, logitText_}) label->setWordWrap(true);
    shares_->setProperty("role", "soft");
    terms_->setAccessibleName(tr("Terms of the score by source heads"));
    termSum_->setAccessibleName(tr("Terms adding up to the score"));
    parts_->setAccessibleName(tr("Parts adding up to the logit"));
    parts_->setToolTip(tr("A click opens the head's maps"));
    lens_->setAccessibleName(tr("What the model would answer if it ended earlier"));
    lens_->headerItem()->setToolTip(1, tr("The most probable token there"));
    lens_->headerItem()->setToolTip(2, tr("Probability of the explained token there"));
    tiles_->setAccessibleName(tiles_->text());
    tiles_->setToolTip(tr("What each tile adds, instead of each head"));
    right_->setChecked(true);

    auto* inside = new QWidget;
    auto* all = new QVBoxLayout(inside);
    const auto heading = [all](const QString& title) {
        auto* label = new QLabel(title);
        label->setProperty("role", "strong");
        all->addWidget(label);
        return label;
    };
    heading(tr("Why these two tokens"));
    for (QWidget* one : std::initializer_list<QWidget*>{cellText_, terms_, termSum_, shares_})
        all->addWidget(one);
    heading(tr("Why this answer"));
    all->addWidget(segmentRow({left_, right_}));
    for (QWidget* one : std::initializer_list<QWidget*>{logitText_, parts_, tiles_})
        all->addWidget(one);
    lensHeading_ = heading(tr("Logit lens"));
    all->addWidget(lens_);
    all->addStretch(1);
    setWidget(inside);

    for (const Side side : bothSides)
        connect(side == Side::left ? left_ : right_, &QToolButton::clicked, this,
                [this, side] { why_.setSide(side); });
    connect(tiles_, &QCheckBox::toggled, this, &WhyPanel::refreshLogit);
    connect(parts_, &WaterfallPlot::stepChosen, this, &WhyPanel::openPart);
    connect(&why_, &WhyModel::cellChanged, this, &WhyPanel::refreshCell);
    connect(&why_, &WhyModel::logitChanged, this, &WhyPanel::refreshLogit);
    connect(&model, &ExploreViewModel::runsChanged, this, &WhyPanel::refreshSides);
    connect(&theme, &Theme::changed, this, &WhyPanel::restyle);
    restyle();
}

void WhyPanel::refreshSides() {
    for (const Side side : bothSides) {
        const QString name = model_->shortName(side);
        QToolButton* button = side == Side::left ? left_ : right_;
        if (!name.isEmpty()) button->setText(name);
    }
}

void WhyPanel::refreshCell() {
    const std::optional<CellWhy>& why = why_.cell();
    const int sources = why ? static_cast<int>(why->split.querySources.size()) : 0;
    terms_->setVisible(sources > 1 && sources <= mostSources);
    termSum_->setVisible(sources > 1);
    shares_->setVisible(why.has_value());
    if (!why) return cellText_->setText(why_.cellText());
    const ScoreSplit& split = why->split;
    cellText_->setText(
        tr("%1, from “%2” (%3) to “%4” (%5): score %6%7")
            .arg(QString::fromStdString(nameOf(ModelPart::ofTile(
                     why->part.layer, why->part.head, why->part.queryPseudo, why->part.keyPseudo))),
                 why->from)
            .arg(why->part.query)
            .arg(why->to)
            .arg(why->part.key)
            .arg(scoreText(split.score))
            .arg(split.seen ? QString() : tr(", hidden by the mask")));
    QString words = sources > 1 ? tr("Cross-head share of this score %1").arg(why->share, 0, 'f', 2)
                                : tr("One term: the head's own queries and keys");
    if (sources > 1 && why->evidenceShare)
        words += tr(", over the evidence %1").arg(*why->evidenceShare, 0, 'f', 2);
    if (split.rotates)
        words +=
            tr(". Without rotary positions the score would be %1").arg(scoreText(split.plainScore));
    shares_->setText(words);
    if (sources <= 1) return;
    if (sources <= mostSources) terms_->setSheet(sheetOf(split));
    std::vector<Addend> addends;
    const std::size_t width = split.keySources.size();
    for (std::size_t i = 0; i < split.terms.size(); ++i)
        addends.push_back(
            {tr("h%1 · h%2").arg(split.querySources[i / width]).arg(split.keySources[i % width]),
             split.terms[i],
             {}});
    termSum_->setContent(waterfallOf(addends, tr("score"), split.score));
}

void WhyPanel::refreshLogit() {
    const std::optional<LogitWhy>& why = why_.logit();
    for (QWidget* one : std::initializer_list<QWidget*>{parts_, tiles_, lensHeading_, lens_})
        one->setVisible(why.has_value());
    if (!why) return logitText_->setText(why_.logitText());
    logitText_->setText(
        tr("The logit of %1 “%2” at token %3 as the sum of what each part adds, with the final "
           "norm’s scale frozen at %4")
            .arg(why->at.isTrue ? tr("the right answer") : tr("the answer"), why->token)
            .arg(why->at.row)
            .arg(why->attribution.finalScale, 0, 'g', 3));
    std::vector<Addend> addends = addendsOf(why->attribution, tiles_->isChecked());
    parts_->setContent(waterfallOf(addends, tr("logit"), why->attribution.whole));
    lines_.clear();
    for (const Addend& one : addends) lines_.push_back(one.part);
    lens_->clear();
    for (std::size_t i = 0; i < why->lens.size(); ++i) {
        const LensPoint& point = why->lens[i];
        auto* line = new QTreeWidgetItem(
            lens_, {placeOf(point), why->lensTop[i], QString::number(point.probability, 'f', 3),
                    QString::number(point.rank + 1)});
        alignNumbers(*line);
    }
    fitRows(*lens_, *theme_, mostLensLines);
}

void WhyPanel::openPart(int line) {
    const auto at = static_cast<std::size_t>(line);
    if (at >= lines_.size() || lines_[at].kind != LogitPart::Kind::tile) return;
    const LogitPart& part = lines_[at];
    model_->setLayer(part.layer);
    model_->selection().setOpen(why_.side(), MapRef::tile(part.head, part.p, part.r));
}

void WhyPanel::showEvent(QShowEvent* event) {
    QScrollArea::showEvent(event);
    why_.setWanted(true);
}

void WhyPanel::hideEvent(QHideEvent* event) {
    QScrollArea::hideEvent(event);
    why_.setWanted(false);
}

void WhyPanel::restyle() {
    const int edge = theme_->pixels(18);
    widget()->layout()->setContentsMargins(edge, theme_->pixels(10), edge, theme_->pixels(12));
    widget()->layout()->setSpacing(theme_->pixels(6));
    setMinimumWidth(theme_->pixels(326));
    refreshCell();
    refreshLogit();
}

}  // namespace headloom
