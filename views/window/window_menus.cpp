#include "views/window/window_menus.h"

#include "views/panels/checkpoint_head.h"
#include "views/panels/checkpoint_panel.h"
#include "views/panels/instruments.h"
#include "views/panels/prompt_bar.h"
#include "views/panels/report_pane.h"
#include "views/panels/side_panel.h"
#include "views/panels/tensor_list.h"
#include "views/panels/train_panel.h"
#include "views/window/action_palette.h"
#include "views/window/compute_menu.h"
#include "views/window/help_dialogs.h"
#include "views/window/main_window.h"
#include "views/window/recent_menu.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QKeySequence>
#include <QMenuBar>

#include <functional>

namespace headloom {

namespace {

using Act = std::function<void()>;

QString text(const char* words) {
    return QCoreApplication::translate("WindowMenus", words);
}

/// Fills the menus of one window and lives as long as it: the actions call back here.
class MenuMaker : public QObject {
  public:
    explicit MenuMaker(MainWindow& window) : QObject(&window), window_(window) {}

    void file();
    void edit();
    void chain();
    void train();
    void checkpoint();
    void view();
    void compute();
    void help();

  private:
    QMenu* menu(const char* title) { return window_.menuBar()->addMenu(text(title)); }
    QAction* add(QMenu* menu, const QString& title, const QKeySequence& keys, const Act& act);
    QAction* check(QMenu* menu, const QString& title, const QKeySequence& keys, const Act& act);
    void examples(QMenu* file);
    void themes(QMenu* view);
    void sizes(QMenu* view);
    void maps(QMenu* view);
    void curves(QMenu* view);
    void tokens(QMenu* view);
    void panels(QMenu* view);
    /// Changes one of the display options.
    void display(const std::function<void(DisplayOptions::Values&)>& change);

    MainWindow& window_;
};

QAction* MenuMaker::add(QMenu* menu, const QString& title, const QKeySequence& keys,
                        const Act& act) {
    QAction* action = menu->addAction(title);
    action->setShortcut(keys);
    QObject::connect(action, &QAction::triggered, &window_, act);
    return action;
}

QAction* MenuMaker::check(QMenu* menu, const QString& title, const QKeySequence& keys,
                          const Act& act) {
    QAction* action = add(menu, title, keys, act);
    action->setCheckable(true);
    return action;
}

void MenuMaker::display(const std::function<void(DisplayOptions::Values&)>& change) {
    DisplayOptions& options = window_.model().display();
    DisplayOptions::Values values = options.values();
    change(values);
    options.setValues(values);
}

void MenuMaker::file() {
    QMenu* file = menu("&File");
    ExploreSession& session = window_.model().session();
    examples(file);
    add(file, text("&New example"), QKeySequence::New,
        [&session] { session.setExampleIndex(session.state().exampleIndex + 1); });
    add(file, text("&Previous example"), Qt::CTRL | Qt::SHIFT | Qt::Key_N,
        [&session] { session.setExampleIndex(session.state().exampleIndex - 1); });
    file->addSeparator();
    add(file, text("&Open model on the left…"), QKeySequence::Open,
        [this] { window_.askForModel(Side::left); });
    add(file, text("Open model on the &right…"), Qt::CTRL | Qt::SHIFT | Qt::Key_O,
        [this] { window_.askForModel(Side::right); });
    addRecentMenu(window_, file);
    add(file, text("Choose a &tokenizer…"), Qt::CTRL | Qt::SHIFT | Qt::Key_K,
        [this] { window_.askForTokenizer(); });
    add(file, text("Open a &checkpoint…"), Qt::CTRL | Qt::ALT | Qt::Key_F, [this] {
        window_.setPage(Page::checkpoint);
        window_.checkpointPanel().head().askForFile();
    });
    add(file, text("Expor&t what is in view…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E,
        [this] { window_.askWhereToPutMaps(); });
    add(file, text("&Swap the columns"), Qt::CTRL | Qt::SHIFT | Qt::Key_S,
        [&session] { session.swapColumns(); });
    file->addSeparator();
    add(file, text("&Quit"), Qt::CTRL | Qt::Key_Q, [this] { window_.close(); });
}

void MenuMaker::examples(QMenu* file) {
    QMenu* menu = file->addMenu(text("&Examples"));
    ExploreSession& session = window_.model().session();
    int number = 0;
    for (const ExampleInfo& example : session.examples()) {
        const QString title = example.look.isEmpty()
                                  ? example.title
                                  : text("%1 — %2").arg(example.title, example.look);
        const auto keys = number < 9 ? QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_1 + number))
                                     : QKeySequence(Qt::SHIFT | Qt::Key(Qt::Key_F2 + number - 9));
        QAction* action =
            check(menu, title, keys, [&session, id = example.id] { session.openExample(id); });
        QObject::connect(&session, &ExploreSession::stateChanged, action,
                         [&session, action, id = example.id] {
                             action->setChecked(session.state().exampleId == id);
                         });
        ++number;
    }
    if (number == 0) menu->addAction(text("No example is built in"))->setEnabled(false);
}

void MenuMaker::edit() {
    QMenu* edit = menu("&Edit");
    ExploreViewModel& model = window_.model();
    ColumnEdits& edits = model.edits();
    QAction* undo = add(edit, text("&Undo"), QKeySequence::Undo, [&edits] { edits.undo(); });
    QAction* redo =
        add(edit, text("R&edo"), Qt::CTRL | Qt::SHIFT | Qt::Key_Z, [&edits] { edits.redo(); });
    edit->addSeparator();
    add(edit, text("Edit the &prompt"), Qt::CTRL | Qt::Key_L,
        [this] { window_.prompt().startEditing(); });
    edit->addSeparator();
    add(edit, text("&Copy value"), QKeySequence::Copy, [this, &model] {
        const QString value = model.cellValue();
        if (value.isEmpty())
            window_.say(text("There is no value to copy; point at a cell of a map first"));
        else
            QApplication::clipboard()->setText(value);
    });
    add(edit, text("Copy value in &words"), Qt::CTRL | Qt::ALT | Qt::Key_C,
        [&model] { QApplication::clipboard()->setText(model.cellText()); });
    add(edit, text("Copy the &pictures in view"), Qt::CTRL | Qt::SHIFT | Qt::Key_P,
        [this] { window_.maps().copyPicture(window_.inView()); });
    add(edit, text("Copy the n&umbers in view"), Qt::CTRL | Qt::SHIFT | Qt::Key_V,
        [this] { window_.maps().copyNumbers(window_.inView()); });
    add(edit, text("&Find a token or a tensor"), QKeySequence::Find, [this] {
        if (window_.page() == Page::checkpoint)
            return window_.checkpointPanel().list().startSearch();
        window_.setPage(Page::explore);
        window_.prompt().find();
    });
    add(edit, text("Copy p&rompt"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
        [&model] { QApplication::clipboard()->setText(model.session().promptText()); });
    edit->addSeparator();
    add(edit, text("Switch the open &map off or on"), Qt::CTRL | Qt::Key_D,
        [&model] { model.toggleOpenMap(); });
    add(edit, text("Switch the open &head off or on"), Qt::CTRL | Qt::SHIFT | Qt::Key_D,
        [&model] { model.toggleOpenHead(); });
    QAction* on = add(edit, text("Everything &on again"), Qt::CTRL | Qt::SHIFT | Qt::Key_A,
                      [&edits] { edits.allOn(); });
    QAction* trained = add(edit, text("Reset mi&xing to trained"), Qt::CTRL | Qt::Key_Backspace,
                           [&edits] { edits.resetMixing(); });
    QAction* again = add(edit, text("Run a&gain"), Qt::CTRL | Qt::ALT | Qt::Key_G,
                         [&model] { model.session().runAgain(); });
    const auto follow = [&edits, undo, redo, on, trained] {
        const auto name = [](const std::string& of, const QString& verb) {
            return of.empty() ? verb : text("%1 %2").arg(verb, QString::fromStdString(of));
        };
        undo->setText(name(edits.history().undoName(), text("&Undo")));
        redo->setText(name(edits.history().redoName(), text("R&edo")));
        undo->setEnabled(edits.history().canUndo());
        redo->setEnabled(edits.history().canRedo());
        on->setEnabled(edits.anyOff());
        trained->setEnabled(edits.mixingEdited());
    };
    QObject::connect(&edits, &ColumnEdits::changed, on, follow);
    follow();
    const auto followRuns = [&model, again] {
        again->setEnabled(model.head(Side::left).tokensKept || model.head(Side::right).tokensKept);
    };
    QObject::connect(&model.session(), &ExploreSession::answered, again, followRuns);
    followRuns();
}

void MenuMaker::chain() {
    QMenu* chain = menu("&Chain");
    ExploreViewModel& model = window_.model();
    add(chain, text("Step &forward"), Qt::CTRL | Qt::Key_Right, [&model] { model.goForward(); });
    add(chain, text("Step &back"), Qt::CTRL | Qt::Key_Left, [&model] { model.goBack(); });
    add(chain, text("Fi&rst step"), Qt::CTRL | Qt::Key_Home, [&model] { model.goToFirst(); });
    add(chain, text("&Last step"), Qt::CTRL | Qt::Key_End, [&model] { model.goToLast(); });
    QAction* play = add(chain, text("&Play or pause"), Qt::Key_Space,
                        [&model] { model.setPlaying(!model.playing()); });
    // Shown here; the window itself hears the key, after the control that has the focus.
    play->setShortcutContext(Qt::WidgetShortcut);
    chain->addSeparator();
    QAction* own = check(chain, text("On its &own"), Qt::CTRL | Qt::Key_T, [&model] {
        model.session().setOnItsOwn(!model.session().state().onItsOwn);
    });
    QObject::connect(&model.session(), &ExploreSession::stateChanged, own, [own, &model] {
        own->setEnabled(model.session().generated());
        own->setChecked(model.session().state().onItsOwn);
    });
}

void MenuMaker::train() {
    QMenu* train = menu("&Train");
    TrainViewModel& model = window_.training();
    const auto act = [this, train](const char* title, const QKeySequence& keys, const Act& does) {
        // The page comes into view, so that what happens is seen.
        return add(train, text(title), keys, [this, does] {
            window_.setPage(Page::train);
            does();
        });
    };
    act("&Start, stop or go on", Qt::CTRL | Qt::Key_Return,
        [&model] { model.running() ? model.stop() : model.start(); });
    QAction* fresh =
        act("&New comparison", Qt::CTRL | Qt::ALT | Qt::Key_N, [&model] { model.reset(); });
    train->addSeparator();
    QAction* rewind = act("&Rewind to the chosen moment", Qt::CTRL | Qt::ALT | Qt::Key_R,
                          [&model] { model.rewind(); });
    QAction* open = act("&Open the chosen moment in a column", Qt::CTRL | Qt::ALT | Qt::Key_O,
                        [&model] { model.openMoment(); });
    QAction* save = act("Sa&ve the chosen moment…", QKeySequence::Save,
                        [this] { window_.trainPanel().askWhereToSave(); });
    QAction* curves = act("&Export the curves…", Qt::CTRL | Qt::ALT | Qt::Key_E,
                          [this] { window_.trainPanel().askWhereToExport(); });
    QAction* film = act("Export a &picture of every moment…", Qt::CTRL | Qt::ALT | Qt::Key_P,
                        [this] { window_.askWhereToPutPictures(); });
    const auto follow = [&model, fresh, rewind, open, save, curves, film] {
        for (QAction* one : {fresh, open, save, curves, film}) one->setEnabled(model.stands());
        rewind->setEnabled(model.moment() >= 0);
    };
    QObject::connect(&model, &TrainViewModel::setupChanged, fresh, follow);
    QObject::connect(&model, &TrainViewModel::pictureChanged, fresh, follow);
    follow();
}

void MenuMaker::checkpoint() {
    QMenu* menu = this->menu("Check&point");
    CheckpointViewModel& model = window_.checkpoint();
    const auto act = [this, menu](const char* title, int key, const Act& does) {
        // The page comes into view, so that what happens is seen.
        return add(menu, text(title), Qt::CTRL | Qt::ALT | Qt::Key(key), [this, does] {
            window_.setPage(Page::checkpoint);
            does();
        });
    };
    QAction* load = act("&Load the model", Qt::Key_M, [&model] { model.loadModel(); });
    QAction* left = act("Run it on the le&ft", Qt::Key_BracketLeft,
                        [&model] { model.openInColumn(Side::left); });
    QAction* right = act("Run it on the ri&ght", Qt::Key_BracketRight,
                         [&model] { model.openInColumn(Side::right); });
    QAction* write = act("&Export the model as safetensors…", Qt::Key_X,
                         [this] { window_.checkpointPanel().head().askWhereToExport(); });
    QAction* iha = act("Make an &IHA from this MHA…", Qt::Key_I,
                       [this] { window_.checkpointPanel().head().askForIha(); });
    QAction* copy = act("&Copy the report", Qt::Key_Y,
                        [this] { window_.checkpointPanel().reportPane().copy(); });
    const auto follow = [&model, load, left, right, write, iha, copy] {
        const bool loaded = model.model() != nullptr;
        load->setEnabled(model.runs() && !loaded && !model.weights().loading());
        for (QAction* one : {left, right}) one->setEnabled(model.runs());
        write->setEnabled(loaded);
        iha->setEnabled(model.ihaRefusal().isEmpty());
        copy->setEnabled(model.shown() != nullptr);
    };
    QObject::connect(&model, &CheckpointViewModel::shownChanged, load, follow);
    QObject::connect(&model, &CheckpointViewModel::modelChanged, load, follow);
    follow();
}

void MenuMaker::view() {
    QMenu* view = menu("&View");
    const auto page = [this, view](Page which, const char* title, int key) {
        QAction* action = check(view, text(title), QKeySequence(Qt::Key(key)),
                                [this, which] { window_.setPage(which); });
        QObject::connect(view, &QMenu::aboutToShow, action,
                         [this, action, which] { action->setChecked(window_.page() == which); });
    };
    page(Page::explore, "E&xplore", Qt::Key_F2);
    page(Page::train, "&Train", Qt::Key_F3);
    page(Page::checkpoint, "Chec&kpoint", Qt::Key_F4);
    page(Page::theory, "T&heory", Qt::Key_F12);
    view->addSeparator();
    ExploreViewModel& model = window_.model();
    themes(view);
    sizes(view);
    view->addSeparator();
    maps(view);
    curves(view);
    tokens(view);
    view->addSeparator();
    const auto scope = [this, view, &model](const char* title, const QKeySequence& keys,
                                            DisplayOptions::Scope wanted) {
        QAction* action =
            check(view, text(title), keys, [&model, wanted] { model.setScope(wanted); });
        const auto follow = [&model, action, wanted] {
            action->setChecked(model.display().values().scope == wanted);
        };
        QObject::connect(&model.display(), &DisplayOptions::changed, action, follow);
        follow();
    };
    scope("&All heads of the model", Qt::CTRL | Qt::Key_G, DisplayOptions::Scope::overview);
    scope("Heads of the la&yer", Qt::CTRL | Qt::SHIFT | Qt::Key_G, DisplayOptions::Scope::layer);
    scope("The ope&n head alone", Qt::CTRL | Qt::Key_H, DisplayOptions::Scope::head);
    add(view, text("Layer &up"), Qt::CTRL | Qt::Key_Up,
        [&model] { model.setLayer(model.selection().layer() + 1); });
    add(view, text("Layer do&wn"), Qt::CTRL | Qt::Key_Down,
        [&model] { model.setLayer(model.selection().layer() - 1); });
    view->addSeparator();
    panels(view);
    add(view, text("&Full screen"), Qt::Key_F11, [this] { window_.toggleFullScreen(); });
    add(view, text("&Reset layout"), Qt::CTRL | Qt::SHIFT | Qt::Key_R,
        [this] { window_.resetLayout(); });
}

void MenuMaker::themes(QMenu* view) {
    QMenu* menu = view->addMenu(text("&Theme"));
    auto* group = new QActionGroup(menu);
    Appearance& appearance = window_.appearance();
    const auto one = [&](ThemeChoice choice, const char* title, int key) {
        QAction* action = check(menu, text(title), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key(key)),
                                [&appearance, choice] { appearance.setChoice(choice); });
        group->addAction(action);
        const auto follow = [&appearance, action, choice] {
            action->setChecked(appearance.choice() == choice);
        };
        QObject::connect(&appearance, &Appearance::changed, action, follow);
        follow();
    };
    one(ThemeChoice::dark, "&Dark", Qt::Key_D);
    one(ThemeChoice::light, "&Light", Qt::Key_L);
    one(ThemeChoice::system, "Follow the &system", Qt::Key_S);
}

void MenuMaker::sizes(QMenu* view) {
    QMenu* menu = view->addMenu(text("&Size of everything"));
    Appearance& appearance = window_.appearance();
    QAction* larger = add(menu, text("&Larger"), QKeySequence::ZoomIn,
                          [&appearance] { appearance.setPercent(appearance.percent() + 10); });
    larger->setShortcuts(
        {QKeySequence(QKeySequence::ZoomIn), QKeySequence(Qt::CTRL | Qt::Key_Equal)});
    add(menu, text("&Smaller"), QKeySequence::ZoomOut,
        [&appearance] { appearance.setPercent(appearance.percent() - 10); });
    add(menu, text("&Normal (100 %)"), Qt::CTRL | Qt::Key_0,
        [&appearance] { appearance.setPercent(100); });
    add(menu, text("For a &lecture (150 %)"), Qt::CTRL | Qt::ALT | Qt::Key_0,
        [&appearance] { appearance.setPercent(150); });
}

void MenuMaker::maps(QMenu* view) {
    DisplayOptions& options = window_.model().display();
    QAction* effective = check(view, text("&Effective maps instead of tiles"), Qt::CTRL | Qt::Key_E,
                               [this] { display([](auto& v) { v.effective = !v.effective; }); });
    QAction* byRow = check(view, text("Tiles &by row"), Qt::CTRL | Qt::Key_R,
                           [this] { display([](auto& v) { v.renormalised = !v.renormalised; }); });
    QAction* shared = check(view, text("Shared s&cale"), Qt::CTRL | Qt::ALT | Qt::Key_H,
                            [this] { display([](auto& v) { v.sharedScale = !v.sharedScale; }); });
    QAction* sink = check(view, text("&Hide the first-token sink"), Qt::CTRL | Qt::ALT | Qt::Key_K,
                          [this] { display([](auto& v) { v.hideSink = !v.hideSink; }); });
    const auto follow = [&options, effective, byRow, shared, sink] {
        effective->setChecked(options.values().effective);
        byRow->setChecked(options.values().renormalised);
        shared->setChecked(options.values().sharedScale);
        sink->setChecked(options.values().hideSink);
    };
    QObject::connect(&options, &DisplayOptions::changed, effective, follow);
    follow();
}

void MenuMaker::tokens(QMenu* view) {
    DisplayOptions& options = window_.model().display();
    QAction* words = check(view, text("&Merge pieces into words"), Qt::CTRL | Qt::SHIFT | Qt::Key_W,
                           [this] { display([](auto& v) { v.words = !v.words; }); });
    QAction* ids = check(view, text("Show token &ids"), Qt::CTRL | Qt::SHIFT | Qt::Key_I,
                         [this] { display([](auto& v) { v.ids = !v.ids; }); });
    const auto follow = [&options, words, ids] {
        words->setChecked(options.values().words);
        ids->setChecked(options.values().ids);
    };
    QObject::connect(&options, &DisplayOptions::changed, words, follow);
    follow();
}

void MenuMaker::curves(QMenu* view) {
    QMenu* menu = view->addMenu(text("Colour cur&ve"));
    auto* group = new QActionGroup(menu);
    DisplayOptions& options = window_.model().display();
    const auto one = [&](DisplayOptions::Curve curve, const char* title, int key) {
        QAction* action = check(menu, text(title), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key(key)),
                                [this, curve] { display([=](auto& v) { v.curve = curve; }); });
        group->addAction(action);
        const auto follow = [&options, action, curve] {
            action->setChecked(options.values().curve == curve);
        };
        QObject::connect(&options, &DisplayOptions::changed, action, follow);
        follow();
    };
    one(DisplayOptions::Curve::linear, "&Linear", Qt::Key_1);
    one(DisplayOptions::Curve::sqrt, "&Square root", Qt::Key_2);
    one(DisplayOptions::Curve::log, "L&og", Qt::Key_3);
}

void MenuMaker::panels(QMenu* view) {
    QMenu* menu = view->addMenu(text("&Panels"));
    SidePanel& side = window_.side();
    const auto one = [&](SidePanel::Section section, const char* title, int key) {
        QAction* action = check(menu, text(title), QKeySequence(Qt::Key(key)), [this, section] {
            SidePanel& tables = window_.side();
            const bool hidden = !tables.isVisible();
            window_.instruments().show(&tables);
            tables.setSectionOpen(section, hidden || !tables.isSectionOpen(section));
        });
        const auto follow = [&side, action, section] {
            action->setChecked(side.isSectionOpen(section));
        };
        QObject::connect(menu, &QMenu::aboutToShow, action, follow);
        follow();
    };
    one(SidePanel::answer, "&Answer", Qt::Key_F5);
    one(SidePanel::evidence, "&Evidence", Qt::Key_F6);
    one(SidePanel::tile, "&Open maps", Qt::Key_F7);
    one(SidePanel::cost, "&Cost", Qt::Key_F8);
    menu->addSeparator();
    Instruments& instruments = window_.instruments();
    for (int index = 0; index < instruments.count(); ++index) {
        QAction* action = check(menu, instruments.title(index), Instruments::shortcut(index),
                                [this, &instruments, index] {
                                    window_.setPage(Page::explore);
                                    instruments.setCurrent(index);
                                });
        const auto follow = [&instruments, action, index] {
            action->setChecked(instruments.current() == index);
        };
        QObject::connect(&instruments, &Instruments::currentChanged, action, follow);
        follow();
    }
    menu->addSeparator();
    QAction* all =
        check(menu, text("&Tables or curves"), Qt::Key_F9, [this] { window_.toggleBeside(); });
    QObject::connect(menu, &QMenu::aboutToShow, all,
                     [this, all] { all->setChecked(window_.isBesideShown()); });
}

void MenuMaker::compute() {
    fillComputeMenu(window_, menu("C&ompute"));
}

void MenuMaker::help() {
    QMenu* help = menu("&Help");
    add(help, text("&Find an action…"), Qt::CTRL | Qt::Key_K,
        [this] { (new ActionPalette(window_))->show(); });
    add(help, text("&Keyboard shortcuts"), QKeySequence::HelpContents,
        [this] { showShortcuts(window_); });
    add(help, text("&About Headloom"), Qt::SHIFT | Qt::Key_F1, [this] { showAbout(window_); });
}

}  // namespace

void addMenus(MainWindow& window) {
    auto* maker = new MenuMaker(window);
    maker->file();
    maker->edit();
    maker->chain();
    maker->train();
    maker->checkpoint();
    maker->view();
    maker->compute();
    maker->help();
}

}  // namespace headloom
