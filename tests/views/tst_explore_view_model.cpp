#include "core/session/training_run.h"
#include "tests/views/session_fixture.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/words.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

using namespace headloom;

namespace {

const QString witnesses = QStringLiteral("four-witnesses");

}  // namespace

class ExploreViewModelTest : public QObject {
    Q_OBJECT
  private slots:
    void opensAnExampleWithItsPair();
    void walksTheSteps();
    void staysWithinTheSteps();
    void writesOnItsOwn();
    void takesATypedPrompt();
    void refusesABadPromptAndKeepsTheSession_data();
    void refusesABadPromptAndKeepsTheSession();
    void refusesAFileAndKeepsTheSession();
    void dropsStaleAnswers();
    void tilesHoldTheirMass();
    void saysACellInWords();
    void switchesToEffectiveMaps();
    void switchesPartsOff();
    void editsMixingWeights();
    void keepsTheTokensOfAnEditedChain();
    void undoesEditsOfBothColumns();
    void opensTheMapThatLooksAtTheEvidence();
    void swapsTheColumns();
    void readsOutTheBank();
    void opensTheStepThatWasAskedFor();
    void saysWherePseudoHeadsAreCopies();
    void nothingLiesInTheFutureWithoutAMask();

  private:
    UntrainedAssets assets_;
};

void ExploreViewModelTest::opensAnExampleWithItsPair() {
    ExploreViewModel model;
    QVERIFY(!model.head(Side::left).present);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    const ColumnHead left = model.head(Side::left), right = model.head(Side::right);
    QVERIFY(left.present && right.present);
    QVERIFY(!left.iha && right.iha);
    QCOMPARE(left.pseudos, 1);
    QCOMPARE(right.pseudos, 2);
    QCOMPARE(right.rows, 20);                    // 5 given and 15 of the 16 generated are fed
    QCOMPARE(model.steps().size(), size_t(16));  // one a generated symbol
    QCOMPARE(model.steps().front().row, 4);
    QVERIFY(model.stepIndex() >= 0);
    QVERIFY(!model.stepText().isEmpty());
}

void ExploreViewModelTest::walksTheSteps() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    model.goToFirst();
    QCOMPARE(model.selection().step(), 4);
    model.goForward();
    QCOMPARE(model.selection().step(), 5);
    // evidence of a step: exactly the four tokens 1 to 4 back from the row
    QCOMPARE(model.axis(Side::right).evidence, (std::vector<int>{1, 2, 3, 4}));
    const auto chips = model.tokens();
    QCOMPARE(chips.size(), size_t(21));
    QVERIFY(chips[4].given && !chips[5].given);
    QVERIFY(chips[5].current && !chips[5].evidence && chips[4].evidence && !chips[0].evidence);
    QVERIFY(chips[6].later && !chips[5].later);
    model.goToLast();
    QCOMPARE(model.selection().step(), 19);
    QSignalSpy stepped(&model.selection(), &Selection::stepChanged);
    model.goBack();
    QCOMPARE(stepped.count(), 1);
    QCOMPARE(model.selection().step(), 18);
}

void ExploreViewModelTest::staysWithinTheSteps() {
    ExploreViewModel model;
    model.goForward();  // nothing to walk yet
    model.goBack();
    model.goToLast();
    QCOMPARE(model.stepIndex(), -1);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    model.goToFirst();
    model.goBack();
    QCOMPARE(model.stepIndex(), 0);
    model.goToStep(99);
    QCOMPARE(model.stepIndex(), 15);
    model.goForward();
    QCOMPARE(model.stepIndex(), 15);
    model.setLayer(7);  // there is one layer
    QCOMPARE(model.selection().layer(), 0);
}

void ExploreViewModelTest::writesOnItsOwn() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    model.session().setOnItsOwn(true);
    QVERIFY(answered(model));
    for (const Side side : bothSides) {
        const auto at = size_t(indexOf(side));
        int wrong = -1;
        for (const ChainStep& step : model.steps()) {
            const ChainMark& mark = step.marks[at];
            QVERIFY(mark.present);
            if (mark.wrong) {
                QCOMPARE(wrong, -1);  // only the first wrong symbol is marked
                wrong = step.row;
            }
            QCOMPARE(mark.dimmed, wrong >= 0 && step.row > wrong);
            if (wrong < 0 || step.row == wrong) QCOMPARE(mark.token == step.truth, wrong < 0);
        }
        QVERIFY(wrong >= 4);  // a random model cannot get sixteen symbols right
    }
    // Playing stops where a model first errs.
    model.goToFirst();
    model.setPlaying(true);
    while (model.playing()) model.playOn();
    int expected = 15;
    for (int step = 15; step > 0; --step)
        for (const ChainMark& mark : model.steps()[size_t(step)].marks)
            if (mark.wrong) expected = step;
    QCOMPARE(model.stepIndex(), expected);
}

void ExploreViewModelTest::takesATypedPrompt() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QVERIFY(model.session().setPrompt("0 1 2 3 4"));
    QVERIFY(answered(model));
    QVERIFY(model.session().freePromptReason().isEmpty());
    QCOMPARE(model.session().promptText(), QString("0 1 2 3 4"));
    QCOMPARE(model.axis(Side::left).labels[1], QString("1"));
    QCOMPARE(model.steps().size(), size_t(16));
    // Too short to be a prompt of the task: fed as it is, every row a step, no truth.
    QVERIFY(model.session().setPrompt("012"));
    QVERIFY(answered(model));
    QVERIFY(!model.session().freePromptReason().isEmpty());
    QCOMPARE(model.steps().size(), size_t(3));
    QVERIFY(model.steps()[0].truth.isEmpty());
    QVERIFY(model.evidenceTable().empty());
    // On its own it goes on to the end of the context, with nothing to be wrong against.
    model.session().setOnItsOwn(true);
    QVERIFY(answered(model));
    QCOMPARE(model.steps().front().row, 2);
    QVERIFY(model.steps().size() > 10);
    for (const ChainStep& step : model.steps())
        QVERIFY(!step.marks[0].wrong && !step.marks[1].dimmed);
    model.session().setOnItsOwn(false);
    QVERIFY(answered(model));
    // Back to the example.
    model.session().setExampleIndex(0);
    QVERIFY(answered(model));
    QCOMPARE(model.steps().size(), size_t(16));
}

void ExploreViewModelTest::refusesABadPromptAndKeepsTheSession_data() {
    QTest::addColumn<QString>("prompt");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << ""
                           << "empty";
    QTest::newRow("blank") << "   "
                           << "empty";
    QTest::newRow("foreign") << "0129"
                             << "9";
    QTest::newRow("over-long") << QString("0").repeated(40) << "40";
}

void ExploreViewModelTest::refusesABadPromptAndKeepsTheSession() {
    QFETCH(QString, prompt);
    QFETCH(QString, says);
    ExploreViewModel model;
    model.session().openExample(witnesses, 3);
    QVERIFY(answered(model));
    const auto before = model.session().runs().left;
    const QString text = model.session().promptText();
    const auto refused = model.session().setPrompt(prompt);
    QVERIFY(!refused);
    const QString sentence = QString::fromStdString(refused.error().sentence());
    QVERIFY2(sentence.contains(says), qPrintable(sentence));
    QVERIFY(!model.session().busy());
    QCOMPARE(model.session().runs().left, before);
    QCOMPARE(model.session().promptText(), text);
    QCOMPARE(model.session().state().exampleIndex, 3);
}

void ExploreViewModelTest::refusesAFileAndKeepsTheSession() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    const auto before = model.session().runs().right;
    const QString title = model.head(Side::right).title;
    QSignalSpy failed(&model.session(), &ExploreSession::failed);
    model.session().setChoice(Side::right, {"/no/such/model", "model", "/no/such/model"});
    QVERIFY(answered(model));
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].toString().contains("/no/such/model"));
    QCOMPARE(model.session().runs().right, before);
    QCOMPARE(model.head(Side::right).title, title);
    QCOMPARE(model.session().state().columns[1].choice.title, title);
    model.session().setExampleIndex(1);  // and it still works
    QVERIFY(answered(model));
    QVERIFY(model.session().runs().right != before);
}

void ExploreViewModelTest::dropsStaleAnswers() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QSignalSpy answers(&model.session(), &ExploreSession::answered);
    for (int index = 1; index <= 7; ++index) model.session().setExampleIndex(index);
    model.session().finish();  // an answer is on its way and crosses the next wish
    model.session().setExampleIndex(8);
    QVERIFY(answered(model));
    QCOMPARE(answers.count(), 1);
    QCOMPARE(model.session().shownState().exampleIndex, 8);
    const std::string shown = model.session().runs().left->run->model->vocabulary.decode(
        model.session().runs().left->run->tokens);
    QVERIFY(QString::fromStdString(shown).startsWith(model.session().promptText()));
}

void ExploreViewModelTest::tilesHoldTheirMass() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    model.goToLast();
    const auto tiles = model.tiles(Side::right, 1);
    QCOMPARE(tiles.size(), size_t(4));
    for (int p = 0; p < 2; ++p) {
        const MapView &first = tiles[size_t(2 * p)], &second = tiles[size_t(2 * p + 1)];
        QVERIFY(first.ref == MapRef::tile(1, p, 0));
        // One softmax over both key families: the two masses share 1. Twenty float32 sums.
        QVERIFY(std::abs(first.rowMass + second.rowMass - 1) < 1e-5);
        QVERIFY(std::abs(first.mass + second.mass - 1) < 1e-5);
        QVERIFY(first.evidence <= first.rowMass + 1e-6);
        const MapView byRow = renormalised(first);
        double sum = 0;
        for (int key = 0; key < byRow.cols; ++key)
            sum += double(byRow.values.get()[19 * byRow.cols + key]);
        QVERIFY(std::abs(sum - 1) < 1e-5);
    }
    const auto mha = model.tiles(Side::left, 0);
    QCOMPARE(mha.size(), size_t(1));
    QVERIFY(std::abs(mha[0].mass - 1) < 1e-5);
}

void ExploreViewModelTest::saysACellInWords() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QVERIFY(model.cellText().isEmpty());
    model.goToLast();
    model.selection().setCell(CellRef{Side::right, MapRef::tile(1, 0, 1), 5, 2});
    const QRegularExpression words(
        "^layer 0 · head 1 · tile q0→k1 · from “\\d” \\(5\\) to “\\d” \\(2\\): 0\\.\\d{4}$");
    QVERIFY2(words.match(model.cellText()).hasMatch(), qPrintable(model.cellText()));
    QVERIFY(model.cellText().endsWith(QString::number(model.cellValue().toDouble(), 'f', 4)));
    model.selection().setCell(CellRef{Side::right, MapRef::tile(1, 0, 1), 5, 6});
    QVERIFY(model.cellText().endsWith(": masked"));
    QVERIFY(model.cellValue().isEmpty());
    model.goToFirst();
    model.selection().setCell(CellRef{Side::right, MapRef::tile(1, 0, 1), 5, 2});
    QVERIFY(model.cellText().endsWith(": a later step"));
    QVERIFY(model.cellValue().isEmpty());
    model.selection().setCell(CellRef{Side::left, MapRef::tile(0), 5, 99});  // no such key
    QVERIFY(model.cellText().isEmpty());
    QVERIFY(model.cellValue().isEmpty());
}

void ExploreViewModelTest::switchesPartsOff() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    const auto logits = [&](Side side) {
        const auto row = model.session().runs().at(indexOf(side))->run->logits(7);
        return std::vector<float>(row.begin(), row.end());
    };
    const std::vector<float> left = logits(Side::left), right = logits(Side::right);
    QVERIFY(!model.edits().anyOff());

    model.selection().setOpen(Side::right, MapRef::tile(1, 0, 1));
    model.toggleOpenMap();
    QVERIFY(model.edits().anyOff());
    QVERIFY(answered(model));
    QCOMPARE(model.head(Side::right).cuts, QStringLiteral("L0H1.q0k1"));
    QVERIFY(model.head(Side::left).cuts.isEmpty());
    QCOMPARE(logits(Side::left), left);
    QVERIFY(logits(Side::right) != right);
    for (const MapView& tile : model.tiles(Side::right, 1))
        QCOMPARE(tile.mass == 0, tile.ref == MapRef::tile(1, 0, 1));

    model.toggleOpenHead();
    QVERIFY(answered(model));
    QCOMPARE(model.head(Side::right).cuts, QStringLiteral("L0H1.q0k1, L0H1"));
    model.session().swapColumns();  // what is off is off in its model, wherever it stands
    QVERIFY(answered(model));
    QCOMPARE(model.head(Side::left).cuts, QStringLiteral("L0H1.q0k1, L0H1"));
    QVERIFY(model.head(Side::right).cuts.isEmpty());
    model.session().swapColumns();
    QVERIFY(answered(model));
    model.selection().setOpen(Side::right, MapRef::tile(0));
    model.selection().setOpen(Side::right, MapRef::tile(1, 0, 1));
    model.toggleOpenMap();  // on again
    QVERIFY(answered(model));
    QCOMPARE(model.head(Side::right).cuts, QStringLiteral("L0H1"));

    model.session().setExampleIndex(1);  // and stays so with another prompt
    QVERIFY(answered(model));
    QCOMPARE(model.head(Side::right).cuts, QStringLiteral("L0H1"));
    model.session().setExampleIndex(0);
    model.edits().allOn();
    QVERIFY(answered(model));
    QVERIFY(!model.edits().anyOff());
    QCOMPARE(logits(Side::right), right);
}

void ExploreViewModelTest::switchesToEffectiveMaps() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QVERIFY(model.effective(Side::right).empty());
    DisplayOptions::Values shown = model.display().values();
    shown.effective = true;
    model.display().setValues(shown);
    QVERIFY(answered(model));
    const auto maps = model.effective(Side::right);
    QCOMPARE(maps.size(), size_t(4));  // H x H, whatever P is
    QVERIFY(maps[1].ref == MapRef::effectiveMap(0, 1));
    QVERIFY(model.selection().open(Side::right).effective);
    QVERIFY(!model.effective(Side::left).empty());
    model.selection().setCell(CellRef{Side::right, MapRef::effectiveMap(1, 0), 5, 2});
    QVERIFY(model.cellText().contains("effective map M[1, 0]"));
    shown.effective = false;
    model.display().setValues(shown);
    QVERIFY(!model.selection().open(Side::right).effective);
    QVERIFY(answered(model));
}

void ExploreViewModelTest::editsMixingWeights() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    const auto runOf = [&](Side side) { return model.session().runs().at(indexOf(side))->run; };
    const auto before = runOf(Side::right);
    const std::vector<MixingSheet> sheets = model.mixing(Side::right);
    QCOMPARE(sheets[1].matrix, MixingTensor::alphaK);
    const MixingWeight weight = weightAt(sheets[1], 0, 0, 1, 0);
    QCOMPARE(weight, (MixingWeight{0, MixingTensor::alphaK, {1, 0, 0}}));

    ColumnEdits& edits = model.edits();
    const int drag = edits.newGesture();
    edits.setWeight(Side::right, weight, 1.25F, drag);
    // shown at once, whatever the run takes
    QCOMPARE(model.mixing(Side::right)[1].values[2], 1.25F);
    edits.setWeight(Side::right, weight, -2, drag);
    QVERIFY(answered(model));
    QCOMPARE(model.head(Side::right).edited, QStringLiteral("alphaK"));
    QCOMPARE(model.mixing(Side::right)[1].values[2], -2.F);
    const auto after = runOf(Side::right);
    // the answer is that of a model that was made with this weight
    const ColumnChanges change = withWeight(*before->model, {}, weight, -2).value();
    ChainRequest request;
    request.model = changedModel(before->model, change);
    request.prompt.assign(before->tokens.begin(), before->tokens.begin() + before->promptLength);
    request.truth = before->truth;
    const auto backend = makeBackend("auto", 1).value();
    const ChainRun made = runChain(request, *backend).value();
    // The threads of a product share its rows and not its sums: no rounding lies between the two.
    QVERIFY(std::ranges::equal(made.logits(9), after->logits(9)));
    QVERIFY(!std::ranges::equal(before->logits(9), after->logits(9)));

    const auto beside = runOf(Side::left);
    edits.setWeight(Side::right, weight, 0.5F);
    QVERIFY(answered(model));
    QCOMPARE(runOf(Side::left)->trace.logits.raw(), beside->trace.logits.raw());  // not run again
    QCOMPARE(edits.history().entries().size(), size_t(2));                        // the drag is one
    QVERIFY(edits.history().entries()[0].name.ends_with("to -2"));
    edits.resetMixing(Side::right);
    QVERIFY(answered(model));
    QVERIFY(!edits.mixingEdited());
    QVERIFY(std::ranges::equal(before->logits(9), runOf(Side::right)->logits(9)));

    QSignalSpy failed(&model.session(), &ExploreSession::failed);
    edits.setWeight(Side::right, {7, MixingTensor::alphaQ, {}}, 1);
    QCOMPARE(failed.size(), 1);
    edits.setWeight(Side::left, weight, 1);  // MHA mixes nothing
    QCOMPARE(failed.size(), 2);
}

void ExploreViewModelTest::keepsTheTokensOfAnEditedChain() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    model.session().setOnItsOwn(true);
    QVERIFY(answered(model));
    const auto tokens = [&] { return model.session().runs().right->run->tokens; };
    const std::vector<int> said = tokens();
    for (int head = 0; head < 2; ++head)
        model.edits().setWeight(Side::right, {0, MixingTensor::collapse, {head, 1 + head}}, 40);
    QVERIFY(answered(model));
    QCOMPARE(tokens(), said);
    QVERIFY(model.head(Side::right).tokensKept);
    QVERIFY(!model.head(Side::left).tokensKept);
    model.session().runAgain();
    QVERIFY(answered(model));
    QVERIFY(!model.head(Side::right).tokensKept);
    QVERIFY(tokens() != said);
    model.session().setExampleIndex(1);  // a new prompt is decoded by the model as it is now
    QVERIFY(answered(model));
    QVERIFY(model.edits().mixingEdited(Side::right));
    QVERIFY(!model.head(Side::right).tokensKept);
}

void ExploreViewModelTest::undoesEditsOfBothColumns() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    ColumnEdits& edits = model.edits();
    edits.toggle(Side::left, ModelPart::ofHead(0, 1));
    edits.setMixing(Side::right, {}, {}, {MixingPreset::Kind::identity}, 1);
    QVERIFY(answered(model));
    QCOMPARE(edits.history().undoName(), std::string("right: mixing: identity"));
    model.session().swapColumns();  // the changes go with the models
    edits.undo();
    QVERIFY(answered(model));
    QVERIFY(!edits.mixingEdited());
    QCOMPARE(model.head(Side::right).cuts, QStringLiteral("L0H1"));
    edits.jump(0);
    QVERIFY(answered(model));
    QVERIFY(!edits.anyOff());
    edits.jump(2);
    QVERIFY(answered(model));
    QVERIFY(edits.anyOff() && edits.mixingEdited(Side::left));

    // what cannot be run is taken back with its entry
    const QString kept = model.head(Side::left).edited;
    edits.toggle(Side::left, ModelPart::ofHead(0, 9));
    QVERIFY(answered(model));
    QCOMPARE(edits.history().position(), size_t(2));
    QCOMPARE(model.head(Side::left).edited, kept);
    QVERIFY(edits.cuts(Side::left).empty());

    // another model begins without changes and without a history of its own
    const auto choices = model.session().choices();
    model.session().setChoice(Side::left, choices.front());
    QVERIFY(answered(model));
    QVERIFY(!edits.mixingEdited());
    model.session().setChoice(Side::right, choices.back());
    QVERIFY(answered(model));
    QVERIFY(!edits.history().canUndo());
}

void ExploreViewModelTest::opensTheMapThatLooksAtTheEvidence() {
    ExploreViewModel model;
    model.session().openExample("pointer-chain");
    QVERIFY(answered(model));
    QCOMPARE(model.layerCount(), 2);
    QCOMPARE(model.selection().layer(), 1);  // the last
    for (const Side side : bothSides) {
        double most = 0, open = -1;
        for (int head = 0; head < model.head(side).heads; ++head)
            for (const MapView& view : model.tiles(side, head)) {
                most = std::max(most, view.evidence);
                if (view.ref == model.selection().open(side)) open = view.evidence;
            }
        QCOMPARE(open, most);
    }
    model.selection().setOpen(Side::right, MapRef::tile(0, 0, 0));
    model.session().setExampleIndex(1);  // the same example goes on with what is open
    QVERIFY(answered(model));
    QVERIFY(model.selection().open(Side::right) == MapRef::tile(0, 0, 0));
}

void ExploreViewModelTest::swapsTheColumns() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    model.session().swapColumns();
    QVERIFY(answered(model));
    QVERIFY(model.head(Side::left).iha && !model.head(Side::right).iha);
    QVERIFY(model.interleaves(Side::left) && !model.interleaves(Side::right));
    QCOMPARE(model.shortName(Side::left), QString("IHA"));
    QVERIFY(model.mixing(Side::right).empty());
    const auto choices = model.session().choices();
    model.session().setChoice(Side::left, choices[1]);  // MHA with positions times 2
    QVERIFY(answered(model));
    QCOMPARE(model.shortName(Side::left), QStringLiteral("positions ×2"));
    QCOMPARE(model.shortName(Side::right), QString("untrained"));
    model.session().setChoice(Side::left, choices.back());
    QVERIFY(answered(model));
    const auto sheets = model.mixing(Side::left);
    QCOMPARE(sheets.size(), size_t(4));
    for (const MixingSheet& sheet : sheets) QCOMPARE(sheet.values.size(), size_t(4));
}

void ExploreViewModelTest::readsOutTheBank() {
    ExploreViewModel model;
    model.session().setOnItsOwn(true);
    model.session().openExample("look-back-bank");
    QVERIFY(answered(model));
    QVERIFY(!model.session().generated());
    QVERIFY(!model.session().state().onItsOwn);
    model.session().setOnItsOwn(true);  // nothing there writes a chain
    QVERIFY(!model.session().state().onItsOwn);
    QCOMPARE(model.steps().size(), size_t(12));
    QCOMPARE(model.steps()[0].truth.size(), 4);  // one answer a slot
    const auto rows = model.answers(6);
    QCOMPARE(rows.size(), size_t(4));
    QVERIFY(rows[0].label.startsWith("1 back: "));
}

void ExploreViewModelTest::opensTheStepThatWasAskedFor() {
    ExploreViewModel model;
    model.setStartRow(7);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QCOMPARE(model.selection().step(), 7);
    model.session().setExampleIndex(1);  // only the first time
    QVERIFY(answered(model));
    model.setStartRow(99);
    model.session().setExampleIndex(2);
    QVERIFY(answered(model));
    QCOMPARE(model.selection().step(), 19);
}

void ExploreViewModelTest::saysWherePseudoHeadsAreCopies() {
    ExploreViewModel model;
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    // pseudo-heads that share their positions and start without noise are exact copies
    Recipe recipe = makeRecipe("four-witnesses", "iha", 0).value();
    for (LayerConfig& layer : recipe.config.layers) layer.positions = PositionKind::token;
    MixingInit same;
    same.alphaNoise = same.collapseNoise = 0;
    auto made = modelOf(recipe, initialWeights(recipe.config, 0, same));
    QVERIFY(made);
    model.session().openModel(Side::right, "copies",
                              std::make_shared<const Model>(std::move(*made)));
    QVERIFY(answered(model));
    QVERIFY2(model.head(Side::right).copies.contains("copies"),
             qPrintable(model.head(Side::right).copies));
    QVERIFY(model.head(Side::left).copies.isEmpty());
}

void ExploreViewModelTest::nothingLiesInTheFutureWithoutAMask() {
    ExploreViewModel model;
    model.session().openExample("relations");
    QVERIFY(answered(model));
    model.goToFirst();
    QVERIFY(model.head(Side::left).unordered);
    for (const TokenChip& chip : model.tokens()) QVERIFY(!chip.later);
    // the largest cell of a row may lie to its right
    const MapView map = model.tiles(Side::left, model.selection().open(Side::left).head).front();
    const int row = model.selection().step();
    const float* cells = map.values.get() + static_cast<std::ptrdiff_t>(row) * map.cols;
    const auto peak = std::max_element(cells, cells + map.cols) - cells;
    const auto lines = model.tileTable();
    const auto said = std::find_if(lines.begin(), lines.end(), [](const ComparisonRow& line) {
        return line.label == "looks most at";
    });
    QVERIFY(said != lines.end());
    QVERIFY2(said->left.contains(QString("(%1)").arg(peak)), qPrintable(said->left));

    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    model.goToFirst();
    QVERIFY(!model.head(Side::left).unordered);
    QVERIFY(model.tokens().back().later);
}

QTEST_GUILESS_MAIN(ExploreViewModelTest)
#include "tst_explore_view_model.moc"
