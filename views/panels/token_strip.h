#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/chain_steps.h"

#include <QWidget>

#include <map>
#include <utility>
#include <vector>

namespace headloom {

class ExploreViewModel;
class TokenSearch;

/// The sequence as chips: evidence of the current step ringed, the current token outlined, later
/// ones dimmed, tokens that nobody typed in dashes, what is searched for on a bar. Pointing at a
/// token (or walking with the arrow keys) lights it in every map.
class TokenStrip : public QWidget {
    Q_OBJECT
  public:
    TokenStrip(ExploreViewModel& model, const TokenSearch& search, const Theme& theme,
               QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    /// The user wants to type a prompt.
    void editRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void refresh();
    void describe();
    void layOut();
    void scrollToCurrent();
    void scrollToChip(int chip);
    void followSearch();
    double widthOf(const QString& text, TextRole role);
    std::size_t chipFrom(double x) const;
    int chipAt(const QPointF& point) const;
    int chipOfToken(int token) const;
    void drawChip(QPainter& painter, std::size_t at) const;

    ExploreViewModel* model_;
    const TokenSearch* search_;
    const Theme* theme_;
    std::vector<TokenChip> chips_;
    std::vector<QRectF> places_;  ///< of the chips, before scrolling
    double width_ = 0;            ///< of all chips
    double scroll_ = 0;
    bool small_ = false;                                     ///< many tokens: smaller type
    bool ids_ = false;                                       ///< ids stand under the tokens
    std::map<std::pair<TextRole, QString>, double> widths_;  ///< of texts measured before
};

}  // namespace headloom
