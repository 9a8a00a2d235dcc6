#include "views/viewmodels/links.h"

#include <QTest>

#include <algorithm>

using namespace headloom;

namespace {

constexpr MixingShape shape{3, 2, false};  // three heads, two pseudo-heads
constexpr MixingTensor matrices[] = {MixingTensor::alphaQ, MixingTensor::alphaK,
                                     MixingTensor::alphaV, MixingTensor::collapse};

bool feeds(const WeightRef& weight, const MapRef& tile) {
    const auto tiles = tilesFedBy(weight, shape);
    return std::find(tiles.begin(), tiles.end(), tile) != tiles.end();
}

}  // namespace

class LinksTest : public QObject {
    Q_OBJECT
  private slots:
    void aTileLightsItsColumns();
    void aWeightLightsItsTiles();
    void bothWaysAgree();
    void aPerHeadCollapseReadsOwnPseudoHeadsOnly();
};

void LinksTest::aTileLightsItsColumns() {
    const MapRef tile = MapRef::tile(1, 0, 1);  // q0 -> k1 of head 1
    const auto q = weightsOfTile(tile, MixingTensor::alphaQ, 1, Side::right, shape);
    QCOMPARE(q.size(), std::size_t(3));  // one a source head
    for (int source = 0; source < 3; ++source)
        QVERIFY(q[std::size_t(source)] ==
                (WeightRef{Side::right, MixingTensor::alphaQ, 1, source, 0}));
    const auto k = weightsOfTile(tile, MixingTensor::alphaK, 1, Side::right, shape);
    QCOMPARE(k.front().pseudo, 1);
    const auto v = weightsOfTile(tile, MixingTensor::alphaV, 1, Side::right, shape);
    QCOMPARE(v.front().pseudo, 1);
    // R's sheet of head 2 reads pseudo-head (1, 0) in one cell
    const auto r = weightsOfTile(tile, MixingTensor::collapse, 2, Side::right, shape);
    QCOMPARE(r.size(), std::size_t(1));
    QVERIFY(r[0] == (WeightRef{Side::right, MixingTensor::collapse, 2, 1, 0}));
    // alphas of another target head have no part in it
    QVERIFY(weightsOfTile(tile, MixingTensor::alphaQ, 0, Side::right, shape).empty());
}

void LinksTest::aWeightLightsItsTiles() {
    const auto q = tilesFedBy({Side::right, MixingTensor::alphaQ, 2, 0, 1}, shape);
    QCOMPARE(q.size(), std::size_t(2));  // row q1 of head 2's sheet
    QVERIFY(q[0] == MapRef::tile(2, 1, 0));
    QVERIFY(q[1] == MapRef::tile(2, 1, 1));
    const auto k = tilesFedBy({Side::right, MixingTensor::alphaK, 2, 0, 1}, shape);
    QVERIFY(k[0] == MapRef::tile(2, 0, 1));
    QVERIFY(k[1] == MapRef::tile(2, 1, 1));
    const auto r = tilesFedBy({Side::right, MixingTensor::collapse, 2, 0, 1}, shape);
    QVERIFY(r[0] == MapRef::tile(0, 1, 0));  // R[2, 0 * P + 1] reads pseudo-head (0, 1)
}

void LinksTest::bothWaysAgree() {
    for (const MixingTensor matrix : matrices)
        for (int head = 0; head < 3; ++head)
            for (int p = 0; p < 2; ++p)
                for (int r = 0; r < 2; ++r) {
                    const MapRef tile = MapRef::tile(head, p, r);
                    for (int open = 0; open < 3; ++open)
                        for (const WeightRef& weight :
                             weightsOfTile(tile, matrix, open, Side::right, shape))
                            QVERIFY(feeds(weight, tile));
                }
}

void LinksTest::aPerHeadCollapseReadsOwnPseudoHeadsOnly() {
    MixingShape own = shape;
    own.perHead = true;
    const MapRef tile = MapRef::tile(1, 0, 1);
    QVERIFY(weightsOfTile(tile, MixingTensor::collapse, 2, Side::right, own).empty());
    QCOMPARE(weightsOfTile(tile, MixingTensor::collapse, 1, Side::right, own).size(),
             std::size_t(1));
}

QTEST_GUILESS_MAIN(LinksTest)
#include "tst_links.moc"
