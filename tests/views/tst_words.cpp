#include "views/viewmodels/column_run.h"
#include "views/viewmodels/words.h"

#include <QTest>

using namespace headloom;

namespace {

/// One layer of this kind over three tokens.
ColumnRun columnOf(AttentionKind kind, int keyValueHeads = 0) {
    auto model = std::make_shared<Model>();
    ModelConfig& config = model->config;
    config.dModel = 16;
    config.nHeads = 4;
    config.nKvHeads = keyValueHeads;
    config.dVocab = 3;
    config.nCtx = 4;
    LayerConfig layer;
    layer.kind = kind;
    layer.nPseudo = kind == AttentionKind::iha ? 2 : 1;
    config.layers = {layer};
    model->vocabulary = Vocabulary({"a", "b", "c"}, -1);
    model->weights = initialWeights(config, 1);
    ChainRequest request;
    request.model = model;
    request.prompt = {0, 1, 2};
    request.effectiveMaps = true;
    const auto backend = makeReferenceBackend();
    return ColumnRun(std::make_shared<const ChainRun>(runChain(request, *backend).value()));
}

QString summaryOf(AttentionKind kind, int keyValueHeads = 0) {
    return kindSummary(columnOf(kind, keyValueHeads), 0);
}

}  // namespace

class WordsTest : public QObject {
    Q_OBJECT
  private slots:
    void saysWhatALayerIs();
    void knowsWhichMapsAreSigned();
    void leavesOutEffectiveMapsThatAreNone();
};

void WordsTest::saysWhatALayerIs() {
    QCOMPARE(summaryOf(AttentionKind::mha), QString());
    QCOMPARE(summaryOf(AttentionKind::mha, 2),
             QStringLiteral("4 query heads on 2 key/value heads"));
    QCOMPARE(summaryOf(AttentionKind::mha, 1), QStringLiteral("4 query heads on 1 key/value head"));
    QCOMPARE(summaryOf(AttentionKind::iha), QStringLiteral("4 × 2 pseudo-heads, 16 tiles"));
    QCOMPARE(summaryOf(AttentionKind::ihaLite), QStringLiteral("q, k and v mixed across 4 heads"));
    QCOMPARE(summaryOf(AttentionKind::talkingHeads),
             QStringLiteral("each map: weights mixed across 4 heads, signed"));
    QCOMPARE(summaryOf(AttentionKind::differential),
             QStringLiteral("each map: the difference of two softmaxes, signed"));
}

void WordsTest::knowsWhichMapsAreSigned() {
    for (const AttentionKind kind : attentionKinds())
        QCOMPARE(columnOf(kind).signedMaps(0),
                 kind == AttentionKind::talkingHeads || kind == AttentionKind::differential);
}

void WordsTest::leavesOutEffectiveMapsThatAreNone() {
    QVERIFY(columnOf(AttentionKind::talkingHeads).effectiveMaps(0));
    QVERIFY(!columnOf(AttentionKind::differential).effectiveMaps(0));
}

QTEST_GUILESS_MAIN(WordsTest)
#include "tst_words.moc"
