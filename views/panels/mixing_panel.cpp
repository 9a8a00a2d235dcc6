#include "views/panels/mixing_panel.h"

#include "views/heatmap/matrix_editor.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/links.h"

#include <QHBoxLayout>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr int matrixCount = 4;

QString titleOf(MixingTensor matrix) {
    switch (matrix) {
        case MixingTensor::alphaQ:
            return MixingPanel::tr("α Q");
        case MixingTensor::alphaK:
            return MixingPanel::tr("α K");
        case MixingTensor::alphaV:
            return MixingPanel::tr("α V");
        case MixingTensor::collapse:
            return MixingPanel::tr("R");
        case MixingTensor::logits:
            return MixingPanel::tr("logits");
        case MixingTensor::weights:
            return MixingPanel::tr("weights");
    }
    return {};
}

QChar pseudoLetter(MixingTensor matrix) {
    switch (matrix) {
        case MixingTensor::alphaQ:
            return u'q';
        case MixingTensor::alphaK:
            return u'k';
        case MixingTensor::alphaV:
            return u'v';
        default:
            return u'y';
    }
}

QString meaningOf(MixingTensor matrix, bool targetsAcross) {
    const QString into = targetsAcross
                             ? MixingPanel::tr("each mixed head (columns)")
                             : MixingPanel::tr("each pseudo-head (columns) of the open head");
    switch (matrix) {
        case MixingTensor::alphaQ:
            return MixingPanel::tr("Alpha Q: how much of each head's queries (rows) goes into %1")
                .arg(into);
        case MixingTensor::alphaK:
            return MixingPanel::tr("Alpha K: how much of each head's keys (rows) goes into %1")
                .arg(into);
        case MixingTensor::alphaV:
            return MixingPanel::tr("Alpha V: how much of each head's values (rows) goes into %1")
                .arg(into);
        case MixingTensor::collapse:
            return MixingPanel::tr(
                "R: how much the open head's output reads from each pseudo-head "
                "(columns) of each head (rows)");
        case MixingTensor::logits:
            return MixingPanel::tr(
                       "Logits: how much of each head's scores (rows), before the softmax, goes "
                       "into %1")
                .arg(into);
        case MixingTensor::weights:
            return MixingPanel::tr(
                       "Weights: how much of each head's attention (rows), after the softmax, "
                       "goes into %1")
                .arg(into);
    }
    return {};
}

MatrixSheet drawn(const MixingSheet& sheet, int head, float maximum) {
    MatrixSheet made;
    made.rows = sheet.rows;
    made.columns = sheet.cols;
    made.values = sheet.values;
    made.title = sheet.targetsAcross
                     ? titleOf(sheet.matrix)
                     : MixingPanel::tr("%1 → head %2").arg(titleOf(sheet.matrix)).arg(head);
    made.maximum = maximum;
    for (int row = 0; row < sheet.rows; ++row)
        made.rowLabels << QStringLiteral("h%1").arg(row + sheet.firstSource);
    for (int column = 0; column < sheet.cols; ++column)
        made.columnLabels << (sheet.targetsAcross
                                  ? MixingPanel::tr("→h%1").arg(column)
                                  : pseudoLetter(sheet.matrix) + QString::number(column));
    return made;
}

}  // namespace

MixingPanel::MixingPanel(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent)
    : QFrame(parent), model_(&model), side_(side), theme_(&theme) {
    setProperty("card", "true");
    auto* line = new QHBoxLayout(this);
    for (int matrix = 0; matrix < matrixCount; ++matrix) {
        auto* view = new MatrixView(theme);
        view->setAccessibleName(tr("Mixing weights"));
        views_.push_back(view);
        view->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        line->addWidget(view, 1);
        connect(view, &MatrixView::cellClicked, this,
                [this, matrix](int row, int column) { choose(matrix, row, column); });
        auto* editor = new MatrixEditor(*view, theme);
        connect(editor, &MatrixEditor::valueWanted, this,
                [this, matrix](int row, int column, float value, bool continues) {
                    edit(matrix, row, column, value, continues);
                });
        connect(view, &MatrixView::cellHovered, this, [this, view](int row, int column, float) {
            model_->setPointedText(view->describe({row, column}));
        });
        connect(view, &MatrixView::cellLeft, this, [this] { model_->setPointedText({}); });
    }
    connect(&model, &ExploreViewModel::runsChanged, this, &MixingPanel::refresh);
    connect(&model.edits(), &ColumnEdits::changed, this, &MixingPanel::refresh);
    connect(&model.selection(), &Selection::weightChanged, this, &MixingPanel::refresh);
    connect(&model.selection(), &Selection::openChanged, this, [this](Side changed) {
        if (changed == side_) refresh();
    });
    connect(&theme, &Theme::changed, this, &MixingPanel::restyle);
    restyle();
}

void MixingPanel::refresh() {
    sheets_ = model_->mixing(side_);
    const int head = model_->selection().open(side_).head;
    float maximum = 0;
    for (const MixingSheet& sheet : sheets_)
        for (const float value : sheet.values) maximum = std::max(maximum, std::abs(value));
    for (std::size_t i = 0; i < views_.size(); ++i) {
        views_[i]->setVisible(i < sheets_.size());
        if (i >= sheets_.size()) continue;
        MatrixSheet sheet = drawn(sheets_[i], head, maximum);
        highlight(sheets_[i], sheet);
        views_[i]->setSheet(std::move(sheet));
        const QString meaning = meaningOf(sheets_[i].matrix, sheets_[i].targetsAcross);
        views_[i]->setAccessibleName(meaning);
        views_[i]->setToolTip(meaning + QLatin1Char('\n') + MatrixEditor::help());
    }
}

/// Frames the weights that the open tile is made with, or the one that was clicked.
void MixingPanel::highlight(const MixingSheet& mixing, MatrixSheet& drawn) const {
    const Selection& selection = model_->selection();
    const MapRef open = selection.open(side_);
    if (mixing.targetsAcross) {
        drawn.highlightedColumns = {open.head};
        return;
    }
    std::vector<WeightRef> lit;
    if (selection.weight() && selection.weight()->side == side_) {
        if (selection.weight()->matrix == mixing.matrix) lit = {*selection.weight()};
    } else if (!open.effective) {
        const ColumnHead head = model_->head(side_);
        lit = weightsOfTile(open, mixing.matrix, open.head, side_,
                            {head.heads, head.pseudos, head.perHeadCollapse});
    }
    if (static_cast<int>(lit.size()) == mixing.rows && mixing.rows > 1)
        drawn.highlightedColumns = {lit.front().pseudo};
    else
        for (const WeightRef& weight : lit)
            drawn.highlightedCells.push_back({weight.source - mixing.firstSource, weight.pseudo});
}

void MixingPanel::choose(int matrix, int row, int column) {
    const auto at = static_cast<std::size_t>(matrix);
    if (at >= sheets_.size()) return;
    if (sheets_[at].targetsAcross) {
        model_->selection().setOpen(side_, MapRef::tile(column));
        return;
    }
    const WeightRef chosen{side_, sheets_[at].matrix, model_->selection().open(side_).head,
                           row + sheets_[at].firstSource, column};
    Selection& selection = model_->selection();
    // A second click lets go again, so that the open tile is followed as before.
    if (selection.weight() == chosen)
        selection.setWeight(std::nullopt);
    else
        selection.setWeight(chosen);
}

void MixingPanel::edit(int matrix, int row, int column, float value, bool continues) {
    const auto at = static_cast<std::size_t>(matrix);
    if (at >= sheets_.size()) return;
    if (!continues) gesture_ = model_->edits().newGesture();
    const int layer = std::min(model_->selection().layer(), model_->head(side_).layers - 1);
    model_->edits().setWeight(
        side_, weightAt(sheets_[at], layer, model_->selection().open(side_).head, row, column),
        value, gesture_);
}

void MixingPanel::restyle() {
    const int inset = theme_->pixels(10);
    layout()->setContentsMargins(inset, theme_->pixels(6), inset, theme_->pixels(8));
    layout()->setSpacing(theme_->pixels(18));
}

}  // namespace headloom
