#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"

#include <QWidget>

#include <utility>

class QSplitter;

namespace headloom {

class ColumnPanel;
class ExploreViewModel;
class ViewBar;

/// Both columns under one bar, with one colour scale.
class LoomPanel : public QWidget {
    Q_OBJECT
  public:
    LoomPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    QSplitter& splitter() { return *splitter_; }
    const QSplitter& splitter() const { return *splitter_; }
    /// Left and right as wide as their kinds ask for.
    void resetLayout();
    ColumnPanel& column(Side side) { return side == Side::left ? *left_ : *right_; }

  signals:
    void openRequested(headloom::Side side);

  private:
    void refresh();
    void fitToKinds();
    int shareOf(Side side) const;
    void rescale();
    void updateColourBar();

    ExploreViewModel* model_;
    const Theme* theme_;
    ViewBar* bar_;
    QSplitter* splitter_;
    ColumnPanel *left_, *right_;
    bool refreshDue_ = false;
    static constexpr int ordinaryShare = 1100, interleavedShare = 2000, emptyShare = 450;
    std::pair<int, int> shares_{ordinaryShare, interleavedShare};  ///< of the columns' widths
};

}  // namespace headloom
