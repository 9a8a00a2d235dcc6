#include "tests/views/session_fixture.h"
#include "views/viewmodels/column_run.h"

#include <cmath>

using namespace headloom;

class TablesTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void answersAddUp();
    void temperatureFlattens();
    void evidenceSaysFromHowManyItChose();
    void openMapsFollowTheSelection();
    void costsCountBothModels();

  private:
    const ComparisonRow* find(const std::vector<ComparisonRow>& rows, const QString& label);

    UntrainedAssets assets_;
    std::unique_ptr<ExploreViewModel> model_;
};

const ComparisonRow* TablesTest::find(const std::vector<ComparisonRow>& rows,
                                      const QString& label) {
    for (const ComparisonRow& row : rows)
        if (row.label.startsWith(label)) return &row;
    return nullptr;
}

void TablesTest::initTestCase() {
    model_ = std::make_unique<ExploreViewModel>();
    model_->session().openExample("four-witnesses");
    QVERIFY(answered(*model_));
}

void TablesTest::answersAddUp() {
    const auto rows = model_->answers(6);
    QCOMPARE(rows.size(), size_t(6));  // the whole vocabulary
    double left = 0, right = 0;
    int marked = 0;
    for (const ComparisonRow& row : rows) {
        left += row.leftBar;
        right += row.rightBar;
        marked += row.marked ? 1 : 0;
    }
    QVERIFY(std::abs(left - 1) < 1e-9 && std::abs(right - 1) < 1e-9);  // softmax in double
    QCOMPARE(marked, 1);  // one token is the true answer
    const auto shown = [](const ComparisonRow& row) { return std::max(row.leftBar, row.rightBar); };
    for (size_t i = 1; i < rows.size(); ++i) QVERIFY(shown(rows[i - 1]) >= shown(rows[i]));
    QCOMPARE(model_->answers(2).size(), size_t(2));
}

void TablesTest::temperatureFlattens() {
    const double before = model_->answers(1)[0].leftBar;
    model_->setTemperature(5);
    double most = 0;
    for (const ComparisonRow& row : model_->answers(6)) most = std::max(most, row.leftBar);
    model_->setTemperature(1);
    QVERIFY(most < before);
    QVERIFY(most >= 1.0 / 6);
}

void TablesTest::evidenceSaysFromHowManyItChose() {
    const auto rows = model_->evidenceTable();
    const ComparisonRow* best = find(rows, "best of 2 / 4");  // H; H * P
    QVERIFY(best);
    const ComparisonRow* mean = find(rows, "layer mean");
    QVERIFY(mean && mean->leftBar <= best->leftBar && mean->rightBar <= best->rightBar);
    QVERIFY(find(rows, "where")->right.contains("q"));
}

void TablesTest::openMapsFollowTheSelection() {
    model_->selection().setOpen(Side::right, MapRef::tile(1, 1, 0));
    const auto rows = model_->tileTable();
    QCOMPARE(find(rows, "head, tile")->right, QString("1, q1→k0"));
    QCOMPARE(find(rows, "head, tile")->left, QString("0"));
    QCOMPARE(find(rows, "mass")->left, QString("1.00"));  // MHA keeps all in one map
    QVERIFY(find(rows, "mass")->right.toDouble() < 1);
}

void TablesTest::costsCountBothModels() {
    const auto rows = model_->costTable();
    // tasks.md 8: 4,550 and 4,582, the difference being 4 H^2 P = 32
    QCOMPARE(find(rows, "parameters")->left, QString("4,550"));
    QCOMPARE(find(rows, "parameters")->right, QString("4,582"));
    QCOMPARE(find(rows, "patterns")->left, QString("2"));
    QCOMPARE(find(rows, "patterns")->right, QString("8"));
    QVERIFY(find(rows, "patterns")->tip.contains("H · P · P = 2 · 2 · 2 = 8"));
    QVERIFY(find(rows, "this attention")->tip.contains("32"));
}

QTEST_GUILESS_MAIN(TablesTest)
#include "tst_tables.moc"
