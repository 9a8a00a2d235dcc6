#include "views/panels/effect_table.h"

#include "views/panels/plain_table.h"
#include "views/viewmodels/change_effect.h"
#include "views/viewmodels/explore_view_model.h"

#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace headloom {

namespace {

constexpr int tokenCount = 4, mostEffectLines = 8;

QString probability(double value) {
    return QString::number(value, 'f', 3);
}

}  // namespace

EffectTable::EffectTable(ChangeEffect& effect, ExploreViewModel& model, const Theme& theme,
                         QWidget* parent)
    : QWidget(parent),
      effect_(&effect),
      theme_(&theme),
      chain_(new QLabel),
      mha_(new QLabel),
      tokens_(plainTable({tr("Token"), tr("Before"), tr("Now"), tr("Rank")})) {
    tokens_->setAccessibleName(tr("Probabilities of this step before the changes and now"));
    chain_->setWordWrap(true);
    mha_->setWordWrap(true);
    mha_->setProperty("role", "soft");
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(chain_);
    all->addWidget(tokens_);
    all->addWidget(mha_);
    connect(&effect, &ChangeEffect::changed, this, &EffectTable::refresh);
    connect(&model.selection(), &Selection::stepChanged, this, &EffectTable::refresh);
    connect(&model.session(), &ExploreSession::answered, this, &EffectTable::refresh);
    connect(&theme, &Theme::changed, this, &EffectTable::restyle);
    restyle();
}

void EffectTable::refresh() {
    if (effect_->followsSoon()) return;
    chain_->setText(effect_->chainText());
    mha_->setText(effect_->mhaText());
    mha_->setVisible(!mha_->text().isEmpty());
    const std::vector<ChangeEffect::Row> rows = effect_->rows(tokenCount);
    fillTable(*tokens_, static_cast<int>(rows.size()), [&rows](int at) {
        const ChangeEffect::Row& row = rows[static_cast<std::size_t>(at)];
        const QString rank = row.rankBefore == row.rankAfter
                                 ? QString::number(row.rankAfter + 1)
                                 : tr("%1 → %2").arg(row.rankBefore + 1).arg(row.rankAfter + 1);
        // the right answer is told by a mark, not by its weight alone
        return QStringList{row.right ? tr("%1 ✓").arg(row.token) : row.token,
                           probability(row.before), probability(row.after), rank};
    });
    for (std::size_t at = 0; at < rows.size(); ++at)
        tokens_->topLevelItem(static_cast<int>(at))
            ->setToolTip(0, rows[at].right ? tr("The right answer") : QString());
    tokens_->setVisible(!rows.empty());
    fitRows(*tokens_, *theme_, mostEffectLines);
}

void EffectTable::restyle() {
    layout()->setSpacing(theme_->pixels(6));
    refresh();
}

}  // namespace headloom
