#include "views/panels/theory_errata_pane.h"

#include "views/panels/plain_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <cmath>

namespace headloom {

namespace {

constexpr int mostErrataLines = 12;
constexpr double rounding = 1e-12;  ///< of double arithmetic on numbers of about 1

QString numberOf(double value) {
    if (value != 0 && std::abs(value) < rounding) return TheoryErrataPane::tr("0 (rounding)");
    return QString::number(value, 'g', 4).replace(QLatin1Char('-'), QStringLiteral("−"));
}

/// With the signs that print has, which a terminal may lack.
QString wordsIn(const std::string& words) {
    QString text = QString::fromStdString(words);
    text.replace(QLatin1String("alphaV"), QStringLiteral("αV"));
    return text.replace(QLatin1String("-1"), QStringLiteral("−1"));
}

}  // namespace

TheoryErrataPane::TheoryErrataPane(const Theme& theme, QWidget* parent)
    : TheoryPart(tr("Errata"),
                 tr("What the paper prints and does not hold, with the computation that shows it, "
                    "run now."),
                 theme, parent),
      waiting_(wordsOf("soft")) {
    waiting_->setText(tr("Computing…"));
    rows().addWidget(waiting_);
    rows().addStretch(1);
    connect(&model_, &TheoryErrataModel::changed, this, &TheoryErrataPane::fill);
    connect(&model_, &TheoryErrataModel::failed, this, &TheoryErrataPane::failed);
    connect(&theme, &Theme::changed, this, &TheoryErrataPane::restyle);
}

void TheoryErrataPane::fill() {
    waiting_->hide();
    for (const Erratum& erratum : model_.errata()) add(erratum);
    // once they are laid out: before that their rows are measured too low
    QTimer::singleShot(0, this, &TheoryErrataPane::restyle);
}

void TheoryErrataPane::add(const Erratum& erratum) {
    auto* words = new QVBoxLayout;
    words->setSpacing(theme().pixels(4));
    const auto line = [words](const char* role, const QString& said) {
        QLabel* label = wordsOf(role);
        label->setText(said);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        words->addWidget(label);
    };
    line("strong", wordsIn(erratum.title));
    line("soft", tr("Printed: %1").arg(wordsIn(erratum.printed)));
    line("", tr("Right: %1").arg(wordsIn(erratum.right)));
    line("soft", tr("Computed: %1").arg(wordsIn(erratum.computed)));
    words->addStretch(1);

    QStringList headings{QString()};
    for (const std::string& column : erratum.columns) headings << wordsIn(column);
    QTreeWidget* table = plainTable(headings);
    spreadNumbers(*table);
    table->setAccessibleName(tr("Numbers of “%1”").arg(wordsIn(erratum.title)));
    for (const Erratum::Row& row : erratum.rows) {
        QStringList cells{wordsIn(row.label)};
        for (const double value : row.values) cells << numberOf(value);
        auto* numbers = new QTreeWidgetItem(table, cells);
        alignNumbers(*numbers);
        for (std::size_t i = 0; i < row.values.size(); ++i)
            numbers->setData(static_cast<int>(i) + 1, exactNumber, row.values[i]);
    }
    tables_.push_back(table);
    auto* both = new QHBoxLayout;
    both->setSpacing(theme().pixels(24));
    both->addLayout(words, 1);
    both->addWidget(table, 1, Qt::AlignTop);
    rows().insertLayout(rows().count() - 1, both);
}

void TheoryErrataPane::restyle() {
    for (QTreeWidget* table : tables_) fitRows(*table, theme(), mostErrataLines);
}

}  // namespace headloom
