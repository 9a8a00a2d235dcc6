#include "views/window/compute_dialog.h"

#include "views/panels/plain_table.h"
#include "views/panels/segments.h"
#include "views/viewmodels/compute_model.h"
#include "views/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace headloom {

namespace {

class ComputeDialog : public QDialog {
    Q_OBJECT
  public:
    ComputeDialog(MainWindow& window, ComputeModel& model);

  private:
    QComboBox* chooser(const QString& name, const std::string& chosen);
    void follow();
    void fill();

    ComputeModel& model_;
    QComboBox *side_, *tested_, *against_;
    QToolButton *start_, *copy_;
    QLabel *times_, *verdict_;
    QTreeWidget* table_;
};

ComputeDialog::ComputeDialog(MainWindow& window, ComputeModel& model)
    : QDialog(&window),
      model_(model),
      side_(new QComboBox),
      tested_(chooser(tr("Backend to compare"), window.model().session().backend())),
      against_(chooser(tr("Backend to compare it with"),
                       window.model().session().device().isHost ? "reference" : "cpu")),
      start_(textButton(tr("Compare"), tr("Run the model's pass on both"))),
      copy_(textButton(tr("Copy"), tr("Copy the table as CSV, with all digits"))),
      times_(new QLabel),
      verdict_(
          new QLabel(tr("Both run the same pass over the tokens on screen, and every tensor of "
                        "it is compared."))),
      table_(plainTable({tr("tensor"), tr("shape"), tr("largest difference"),
                         tr("beside the largest entry"), tr("at most")})) {
    setWindowTitle(tr("Compare two backends"));
    side_->addItem(tr("left model"), indexOf(Side::left));
    side_->addItem(tr("right model"), indexOf(Side::right));
    side_->setAccessibleName(tr("Model that runs"));
    table_->setAccessibleName(tr("Differences, a tensor a line"));
    verdict_->setWordWrap(true);
    verdict_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    times_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    auto* choices = new QHBoxLayout;
    for (QWidget* one : {static_cast<QWidget*>(side_), static_cast<QWidget*>(tested_),
                         static_cast<QWidget*>(new QLabel(tr("against"))),
                         static_cast<QWidget*>(against_), static_cast<QWidget*>(start_)})
        choices->addWidget(one);
    choices->addStretch(1);
    choices->addWidget(copy_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(choices);
    all->addWidget(times_);
    all->addWidget(verdict_);
    all->addWidget(table_, 1);
    connect(start_, &QToolButton::clicked, this, [this] {
        if (model_.busy()) return model_.cancel();
        model_.compare(
            side_->currentData().toInt() == indexOf(Side::left) ? Side::left : Side::right,
            tested_->currentData().toString().toStdString(),
            against_->currentData().toString().toStdString());
    });
    connect(copy_, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(model_.comparison().csv); });
    connect(&model, &ComputeModel::busyChanged, this, &ComputeDialog::follow);
    connect(&model, &ComputeModel::compared, this, &ComputeDialog::fill);
    const Theme& theme = window.appearance().theme();
    resize(theme.pixels(760), theme.pixels(560));
    times_->hide();
    follow();
    if (!model.comparison().rows.empty()) fill();
}

QComboBox* ComputeDialog::chooser(const QString& name, const std::string& chosen) {
    auto* box = new QComboBox;
    for (const std::string& backend : ComputeModel::names())
        box->addItem(ComputeModel::titleOf(backend), QString::fromStdString(backend));
    box->setCurrentIndex(box->findData(QString::fromStdString(chosen)));
    box->setAccessibleName(name);
    return box;
}

void ComputeDialog::follow() {
    start_->setText(model_.busy() ? tr("Stop") : tr("Compare"));
    copy_->setEnabled(!model_.comparison().rows.empty());
}

void ComputeDialog::fill() {
    const ComputeModel::Comparison& made = model_.comparison();
    times_->setText(made.times);
    times_->setVisible(!made.times.isEmpty());
    verdict_->setText(made.problem.isEmpty() ? made.verdict : made.problem);
    verdict_->setToolTip(made.reason);
    fillTable(*table_, static_cast<int>(made.rows.size()), [&made](int line) {
        const ComputeModel::Row& row = made.rows[static_cast<std::size_t>(line)];
        return QStringList{row.within ? row.tensor : tr("%1 — beyond rounding").arg(row.tensor),
                           row.shape, row.absolute, row.relative, row.tolerance};
    });
    for (int column = 1; column < table_->columnCount(); ++column)
        table_->resizeColumnToContents(column);
    follow();
}

}  // namespace

void showComputeDialog(MainWindow& window, ComputeModel& model) {
    auto* dialog = new ComputeDialog(window, model);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

}  // namespace headloom

#include "compute_dialog.moc"
