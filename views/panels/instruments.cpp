#include "views/panels/instruments.h"

#include "views/panels/segments.h"
#include "views/theme/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

Instruments::Instruments(const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(&theme), row_(new QWidget), panels_(new QStackedWidget) {
    auto* line = new QHBoxLayout(row_);
    line->setSpacing(0);
    new QButtonGroup(row_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(row_);
    all->addWidget(panels_, 1);
    row_->hide();  // one instrument leaves nothing to choose
    connect(panels_, &QStackedWidget::currentChanged, this, &Instruments::currentChanged);
    connect(&theme, &Theme::changed, this, &Instruments::restyle);
    restyle();
}

void Instruments::add(const QString& title, const QString& tip, QWidget* panel) {
    const int index = count();
    QToolButton* name = segmentButton(
        title, tr("%1 (%2)").arg(tip, shortcut(index).toString(QKeySequence::NativeText)));
    name->setProperty("narrow", true);
    name->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    names_.push_back(name);
    row_->findChild<QButtonGroup*>()->addButton(name);
    row_->layout()->addWidget(name);
    panels_->addWidget(panel);
    connect(name, &QToolButton::clicked, this, [this, index] { setCurrent(index); });
    row_->setVisible(count() > 1);
    if (index == 0) name->setChecked(true);
}

QString Instruments::title(int index) const {
    return names_.at(static_cast<std::size_t>(index))->text();
}

QKeySequence Instruments::shortcut(int index) {
    return QKeySequence(Qt::ALT | Qt::Key(Qt::Key_1 + index));
}

int Instruments::current() const {
    return panels_->currentIndex();
}

void Instruments::setCurrent(int index) {
    names_.at(static_cast<std::size_t>(index))->setChecked(true);
    panels_->setCurrentIndex(index);
}

void Instruments::show(const QWidget* panel) {
    for (int index = 0; index < count(); ++index)
        if (panels_->widget(index) == panel) setCurrent(index);
}

void Instruments::restyle() {
    row_->layout()->setContentsMargins(theme_->pixels(14), theme_->pixels(10), theme_->pixels(14),
                                       0);
}

}  // namespace headloom
