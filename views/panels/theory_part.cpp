#include "views/panels/theory_part.h"

#include <QLabel>
#include <QVBoxLayout>

namespace headloom {

namespace {

/// A scroll area would give a column of wrapping labels all the height that it wishes for; this one
/// it gives what it needs, so that everything is seen where there is room for it.
class TightColumn : public QVBoxLayout {
  public:
    using QVBoxLayout::QVBoxLayout;
    bool hasHeightForWidth() const override { return false; }
};

/// A label lays its words out ten times over to say which size it would like. This one takes any
/// width, and is asked only how high it is there.
class Words : public QLabel {
  public:
    using QLabel::QLabel;
    QSize sizeHint() const override { return minimumSizeHint(); }
    QSize minimumSizeHint() const override {
        const auto breaks = text().count(QLatin1Char('\n')) + text().count(QLatin1String("<br>"));
        return {1, (1 + static_cast<int>(breaks)) * fontMetrics().lineSpacing()};
    }
};

}  // namespace

TheoryPart::TheoryPart(const QString& title, const QString& sentence, const Theme& theme,
                       QWidget* parent)
    : QScrollArea(parent), title_(title), sentence_(sentence), theme_(&theme) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget;
    rows_ = new TightColumn(inside);
    setWidget(inside);
    connect(&theme, &Theme::changed, this, &TheoryPart::restyle);
    restyle();
}

void TheoryPart::step(int) {}

QLabel* TheoryPart::wordsOf(const char* role) {
    auto* label = new Words;
    label->setProperty("role", role);
    label->setWordWrap(true);
    return label;
}

void TheoryPart::showEvent(QShowEvent* event) {
    begin();
    QScrollArea::showEvent(event);
}

void TheoryPart::restyle() {
    const int edge = theme_->pixels(14);
    rows_->setContentsMargins(edge, theme_->pixels(8), edge, theme_->pixels(8));
    rows_->setSpacing(theme_->pixels(8));
}

}  // namespace headloom
