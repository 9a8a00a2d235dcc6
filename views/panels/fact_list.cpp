#include "views/panels/fact_list.h"

#include <QGridLayout>
#include <QLabel>

namespace headloom {

FactList::FactList(const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(&theme), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setColumnStretch(1, 1);
    connect(&theme, &Theme::changed, this, &FactList::restyle);
    restyle();
}

void FactList::setLines(const std::vector<FactLine>& lines) {
    while (rows_.size() < lines.size()) {
        const Row made{new QLabel, new QLabel};
        made.name->setProperty("role", "soft");
        made.name->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        made.value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        made.value->setWordWrap(true);
        made.value->setMinimumWidth(1);
        const int row = static_cast<int>(rows_.size());
        grid_->addWidget(made.name, row, 0);
        grid_->addWidget(made.value, row, 1);
        rows_.push_back(made);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const bool used = i < lines.size();
        rows_[i].name->setVisible(used);
        rows_[i].value->setVisible(used);
        if (!used) continue;
        rows_[i].name->setText(lines[i].name);
        rows_[i].value->setText(lines[i].value);
        rows_[i].value->setAccessibleName(lines[i].name);
    }
}

void FactList::restyle() {
    grid_->setHorizontalSpacing(theme_->pixels(14));
    grid_->setVerticalSpacing(theme_->pixels(2));
}

}  // namespace headloom
