#include "views/panels/theory_shown.h"

#include "views/heatmap/heatmap_view.h"
#include "views/heatmap/matrix_view.h"
#include "views/panels/theory_choice.h"
#include "views/panels/theory_graph_view.h"
#include "views/panels/theory_number.h"
#include "views/panels/theory_offset_bars.h"
#include "views/panels/theory_slider.h"
#include "views/plots/curve_plot.h"
#include "views/plots/grouped_bar_plot.h"

#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTreeWidget>

namespace headloom {

namespace {

template <class... Kinds>
bool isOneOf(const QWidget& widget) {
    return (... || (qobject_cast<const Kinds*>(&widget) != nullptr));
}

/// Words wrap; the captions of controls do not.
bool saysSomething(const QWidget& widget) {
    const auto* label = qobject_cast<const QLabel*>(&widget);
    return label && label->wordWrap() && !label->text().isEmpty();
}

void collect(const QWidget& widget, std::vector<const QWidget*>& shown);

void collect(const QLayout& layout, std::vector<const QWidget*>& shown) {
    for (int i = 0; i < layout.count(); ++i) {
        const QLayoutItem* item = const_cast<QLayout&>(layout).itemAt(i);
        if (QWidget* widget = const_cast<QLayoutItem*>(item)->widget())
            collect(*widget, shown);
        else if (const QLayout* inner = const_cast<QLayoutItem*>(item)->layout())
            collect(*inner, shown);
    }
}

void collect(const QWidget& widget, std::vector<const QWidget*>& shown) {
    if (!widget.isVisible()) return;
    if (isOneOf<HeatmapView, MatrixView, CurvePlot, GroupedBarPlot, TheoryGraphView, OffsetBars,
                QTreeWidget>(widget) ||
        saysSomething(widget))
        shown.push_back(&widget);
    else if (const auto* stack = qobject_cast<const QStackedWidget*>(&widget))
        collect(*stack->currentWidget(), shown);
    else if (const QLayout* layout = widget.layout())
        collect(*layout, shown);
}

}  // namespace

std::vector<const QWidget*> shownIn(const QWidget& part) {
    std::vector<const QWidget*> shown;
    collect(part, shown);
    return shown;
}

QStringList settingsIn(const QWidget& part) {
    QStringList settings;
    const auto add = [&settings](const QString& name, const QString& value) {
        settings << QStringLiteral("%1 %2").arg(name, value);
    };
    for (const QWidget* control : part.findChildren<const QWidget*>()) {
        if (!control->isVisible()) continue;
        if (const auto* slider = qobject_cast<const TheorySlider*>(control))
            add(slider->title(), slider->valueText());
        else if (const auto* number = qobject_cast<const TheoryNumber*>(control))
            add(number->title(), number->valueText());
        else if (const auto* choice = qobject_cast<const TheoryChoice*>(control))
            add(choice->title(), choice->valueText());
        else if (const auto* combo = qobject_cast<const QComboBox*>(control))
            add(combo->accessibleName(),
                combo->currentIndex() < 0 ? combo->placeholderText() : combo->currentText());
        else if (const auto* line = qobject_cast<const QLineEdit*>(control);
                 line && !line->accessibleName().isEmpty())
            add(line->accessibleName(), line->text());
    }
    return settings;
}

}  // namespace headloom
