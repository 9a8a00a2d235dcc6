#include "views/panels/similarity_pane.h"

#include "views/panels/similarity_map.h"
#include "views/viewmodels/heads_model.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace headloom {

SimilarityPane::SimilarityPane(HeadsModel& heads, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      heads_(&heads),
      theme_(&theme),
      sentence_(new QLabel),
      kind_(new QComboBox),
      similar_(new QDoubleSpinBox),
      matrix_(new SimilarityMap(theme)) {
    sentence_->setProperty("role", "strong");
    sentence_->setMinimumWidth(1);
    kind_->addItem(tr("Tiles"), QVariant::fromValue(static_cast<int>(PatternKind::tiles)));
    kind_->addItem(tr("Heads"), QVariant::fromValue(static_cast<int>(PatternKind::heads)));
    kind_->addItem(tr("Effective maps"),
                   QVariant::fromValue(static_cast<int>(PatternKind::effective)));
    kind_->setAccessibleName(tr("Patterns that are compared"));
    kind_->setToolTip(
        tr("What is compared with one another: tiles, heads (the mean over the pseudo-queries of "
           "the sum over the key families), or effective maps M[target, source]"));
    similar_->setRange(0, 1);
    similar_->setSingleStep(0.01);
    similar_->setDecimals(2);
    similar_->setPrefix(tr("cosine > "));
    similar_->setValue(heads.similar());
    similar_->setKeyboardTracking(false);
    similar_->setAccessibleName(tr("Cosine above which two patterns count as one"));
    similar_->setToolTip(tr("Patterns of one cluster are all this much alike, every pair of them"));

    auto* controls = new QHBoxLayout;
    controls->addWidget(kind_);
    controls->addWidget(similar_);
    controls->addStretch(1);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(sentence_);
    all->addLayout(controls);
    all->addWidget(matrix_, 1);

    connect(kind_, &QComboBox::activated, this,
            [this] { heads_->setKind(static_cast<PatternKind>(kind_->currentData().toInt())); });
    connect(similar_, &QDoubleSpinBox::valueChanged, heads_, &HeadsModel::setSimilar);
    connect(matrix_, &SimilarityMap::patternChosen, heads_, &HeadsModel::open);
    connect(heads_, &HeadsModel::changed, this, &SimilarityPane::refresh);
    connect(&theme, &Theme::changed, this, &SimilarityPane::restyle);
    restyle();
    refresh();
}

QString SimilarityPane::sentence() const {
    return sentence_->text();
}

const HeatmapView& SimilarityPane::map() const {
    return matrix_->map();
}

void SimilarityPane::refresh() {
    SimilarityShown shown = heads_->similarity();
    sentence_->setText(shown.sentence);
    setVisible(heads_->hint().isEmpty());
    matrix_->show(std::move(shown), heads_->provenance());
}

void SimilarityPane::restyle() {
    layout()->setSpacing(theme_->pixels(4));
}

}  // namespace headloom
