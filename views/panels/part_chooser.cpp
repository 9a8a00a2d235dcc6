#include "views/panels/part_chooser.h"

#include "views/viewmodels/tensor_view_model.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace headloom {

namespace {

using Along = TensorPart::Along;

int asInt(std::int64_t value) {
    return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
}

}  // namespace

PartChooser::PartChooser(TensorViewModel& tensor, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      tensor_(&tensor),
      theme_(&theme),
      along_(new QComboBox),
      intoLabel_(new QLabel(tr("heads"))),
      indexLabel_(new QLabel),
      into_(new QSpinBox),
      index_(new QSpinBox) {
    along_->setAccessibleName(tr("Part of the tensor"));
    along_->setToolTip(
        tr("Look at the whole tensor or at a part: statistics, histogram, singular values and "
           "picture are of that part"));
    into_->setAccessibleName(tr("Heads that the matrix holds"));
    index_->setAccessibleName(tr("Which part"));
    for (QSpinBox* spin : {into_, index_}) spin->setKeyboardTracking(false);
    for (QLabel* label : {intoLabel_, indexLabel_}) label->setProperty("role", "soft");
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(along_);
    line->addWidget(into_);
    line->addWidget(intoLabel_);
    line->addWidget(indexLabel_);
    line->addWidget(index_);
    line->addStretch(1);
    connect(along_, &QComboBox::activated, this, &PartChooser::apply);
    for (QSpinBox* spin : {into_, index_})
        connect(spin, &QSpinBox::valueChanged, this, &PartChooser::apply);
    connect(&tensor, &TensorViewModel::chosen, this, &PartChooser::refresh);
    connect(&theme, &Theme::changed, this, &PartChooser::restyle);
    restyle();
    refresh();
}

void PartChooser::refresh() {
    const QSignalBlocker quietAlong(along_), quietInto(into_), quietIndex(index_);
    const std::int64_t matrices = tensor_->matrices();
    const TensorPart& part = tensor_->part();
    setVisible(matrices > 0);
    along_->clear();
    along_->addItem(tr("Whole tensor"), static_cast<int>(Along::whole));
    if (matrices == 1) {
        along_->addItem(tr("Rows of a head"), static_cast<int>(Along::rows));
        along_->addItem(tr("Columns of a head"), static_cast<int>(Along::columns));
    } else {
        along_->addItem(tr("One matrix of it"), static_cast<int>(Along::leading));
    }
    along_->setCurrentIndex(along_->findData(static_cast<int>(part.along)));
    const bool byHead = part.along == Along::rows || part.along == Along::columns;
    const std::int64_t side = part.along == Along::columns ? tensor_->columns() : tensor_->rows();
    into_->setRange(1, std::max(1, asInt(side)));
    into_->setValue(asInt(part.parts));
    const std::int64_t parts = byHead ? part.parts : matrices;
    index_->setRange(0, std::max(0, asInt(parts - 1)));
    index_->setValue(asInt(part.index));
    indexLabel_->setText(byHead ? tr("· head") : tr("matrix (of %1)").arg(matrices));
    for (QWidget* one : std::initializer_list<QWidget*>{into_, intoLabel_}) one->setVisible(byHead);
    for (QWidget* one : std::initializer_list<QWidget*>{index_, indexLabel_})
        one->setVisible(part.along != Along::whole);
}

void PartChooser::apply() {
    TensorPart part;
    part.along = static_cast<Along>(along_->currentData().toInt());
    if (part.along != Along::whole) part.index = index_->value();
    if (part.along == Along::rows || part.along == Along::columns) part.parts = into_->value();
    const std::int64_t parts = part.along == Along::leading ? tensor_->matrices() : part.parts;
    part.index = std::min(part.index, parts - 1);
    tensor_->setPart(part);
}

void PartChooser::restyle() {
    layout()->setSpacing(theme_->pixels(8));
    for (QSpinBox* spin : {into_, index_}) spin->setMinimumWidth(theme_->pixels(72));
}

}  // namespace headloom
