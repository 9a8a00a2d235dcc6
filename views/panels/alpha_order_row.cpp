#include "views/panels/alpha_order_row.h"

#include "views/panels/segments.h"
#include "views/viewmodels/checkpoint_view_model.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace headloom {

namespace {
constexpr int orderCount = 2;
}

AlphaOrderRow::AlphaOrderRow(CheckpointViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      question_(new QLabel(tr("The file does not say how its alphas lie:"))),
      both_(textButton(tr("Show both"),
                       tr("Run the model in both columns of Explore, read in either way"))) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(question_);
    for (int at = 0; at < orderCount; ++at) {
        QToolButton* answer = segmentButton(
            QString(), tr("Read the alphas in this way; the other gives another model"));
        answer->setAccessibleName(tr("An order of the alphas' axes"));
        answers_.push_back(answer);
        line->addWidget(answer);
        connect(answer, &QToolButton::clicked, this,
                [this, at] { model_->setAlphaOrder(model_->alphaOrders().value(at)); });
    }
    line->addWidget(both_);
    line->addStretch(1);
    connect(both_, &QToolButton::clicked, &model, &CheckpointViewModel::openBothOrders);
    connect(&model, &CheckpointViewModel::shownChanged, this, &AlphaOrderRow::refresh);
    connect(&theme, &Theme::changed, this, &AlphaOrderRow::restyle);
    restyle();
    refresh();
}

void AlphaOrderRow::refresh() {
    const QStringList orders = model_->alphaOrders();
    setVisible(orders.size() == orderCount);
    if (orders.size() != orderCount) return;
    for (int at = 0; at < orderCount; ++at) {
        QToolButton& answer = *answers_[static_cast<std::size_t>(at)];
        answer.setText(orders[at]);
        answer.setAccessibleName(tr("Alphas are %1").arg(orders[at]));
        answer.setChecked(model_->shown()->alphaOrder == orders[at]);
    }
}

void AlphaOrderRow::restyle() {
    layout()->setSpacing(theme_->pixels(8));
}

}  // namespace headloom
