// Paints the drawing widgets, dark and light, into PNG files for people to look at:
//   QT_QPA_PLATFORM=offscreen gallery FOLDER [UI SCALE]
// QT_SCALE_FACTOR=2 shows what a screen of 200 % shows.
#include "tests/support/sample_maps.h"
#include "views/heatmap/bar_cell.h"
#include "views/heatmap/colour_bar.h"
#include "views/heatmap/heatmap_view.h"
#include "views/heatmap/matrix_view.h"
#include "views/theme/style.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFrame>
#include <QGridLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSlider>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>

#include <cmath>
#include <functional>
#include <limits>

namespace headloom {
namespace {

QFrame* card(QWidget* content, const char* look = "true") {
    auto* frame = new QFrame;
    frame->setProperty("card", look);
    auto* box = new QVBoxLayout(frame);
    box->setContentsMargins(10, 8, 10, 8);
    box->addWidget(content);
    return frame;
}

HeatmapView* heatmap(const Theme& theme, MapSheet sheet) {
    auto* view = new HeatmapView(theme);
    view->setSheet(std::move(sheet));
    return view;
}

ColourBar* colourBar(const Theme& theme, const ValueMapping& mapping, const QString& caption) {
    auto* bar = new ColourBar(theme);
    bar->setCaption(caption);
    bar->setMapping(mapping);
    return bar;
}

/// Non-finite values, a mask that hides the diagonal, a window, and a hidden first column.
HeatmapView* oddMaps(const Theme& theme) {
    MapSheet sheet = sampleSheet(1, 2, 12);
    auto broken = std::make_shared<std::vector<float>>(144, 0.1f);
    for (std::size_t i = 0; i < broken->size(); ++i)
        (*broken)[i] = 0.02f * static_cast<float>(i % 13);
    (*broken)[40] = std::numeric_limits<float>::quiet_NaN();
    (*broken)[41] = std::numeric_limits<float>::infinity();
    sheet.tiles[0].values = {broken, broken->data()};
    sheet.tiles[1].maskedFrom = 0;
    sheet.tiles[1].window = 6;
    HeatmapView* view = heatmap(theme, sheet);
    view->setScale({ScaleCurve::squareRoot, true, true, 0});
    view->setAxesShown(true);
    return view;
}

QWidget* mapsPage(const Theme& theme) {
    auto* page = new QFrame;
    auto* grid = new QGridLayout(page);
    MapSheet heads = sampleSheet(2, 2, 30);
    heads.captions = CaptionPlacement::above;
    for (int i = 0; i < 4; ++i) {
        heads.tiles[static_cast<std::size_t>(i)].caption = QStringLiteral("head %1").arg(i);
        heads.tiles[static_cast<std::size_t>(i)].corner = QStringLiteral("evidence 0.3%1").arg(i);
    }
    heads.cursor = MapCell{1, 20, 12};
    heads.linkedToken = 12;
    grid->addWidget(card(heatmap(theme, heads)), 0, 0);
    MapSheet tiles = sampleSheet(4, 4, 30);
    tiles.selectedTile = 1;
    tiles.linkedTiles = {4, 5, 6, 7};
    tiles.cursor = MapCell{1, 20, 14};
    HeatmapView* loom = heatmap(theme, tiles);
    loom->setAxesShown(true);
    grid->addWidget(card(loom, "open"), 0, 1, 2, 1);
    grid->addWidget(card(oddMaps(theme)), 1, 0);
    auto* previews = new QVBoxLayout;
    for (int i = 0; i < 4; ++i) {
        HeatmapView* preview = heatmap(theme, sampleSheet(4, 4, 30));
        preview->setPreview(true);
        preview->setFixedSize(theme.pixels(130), theme.pixels(130));
        previews->addWidget(card(preview, i == 0 ? "open" : "true"));
    }
    previews->addWidget(card(new HeatmapView(theme)));
    grid->addLayout(previews, 0, 2, 2, 1);
    grid->addWidget(colourBar(theme, {0.87f, ScaleCurve::squareRoot, false}, "shared · sqrt"), 2,
                    0);
    grid->addWidget(colourBar(theme, {1.3f, ScaleCurve::linear, true}, {}), 2, 1);
    grid->addWidget(colourBar(theme, {1, ScaleCurve::logarithmic, false}, {}), 2, 2);
    grid->setColumnStretch(0, 2);
    grid->setColumnStretch(1, 4);
    grid->setRowStretch(0, 3);
    grid->setRowStretch(1, 2);
    return page;
}

QWidget* zoomPage(const Theme& theme) {
    auto* page = new QFrame;
    auto* box = new QHBoxLayout(page);
    MapSheet large = sampleSheet(2, 2, 30);
    large.selectedTile = 0;
    large.cursor = MapCell{0, 22, 17};
    for (QString& token : large.queryLabels) {
        if (token == "k") token = QStringLiteral("tokens");
    }
    large.keyLabels = large.queryLabels;
    HeatmapView* near = heatmap(theme, large);
    near->setAxesShown(true);
    near->setProperty("presses", 10);
    box->addWidget(card(near));
    HeatmapView* effective = heatmap(theme, sampleSheet(2, 2, 8, true));
    effective->setAxesShown(true);
    box->addWidget(card(effective));
    return page;
}

MatrixSheet mixing(int which) {
    const char* titles[] = {"α Q → head 0", "α K → head 0", "α V → head 0", "R → head 0"};
    MatrixSheet sheet;
    sheet.rows = sheet.columns = 4;
    for (int i = 0; i < 16; ++i) {
        sheet.values.push_back(static_cast<float>(1.5 * std::sin(i * 1.7 + which)));
    }
    for (int i = 0; i < 4; ++i) {
        sheet.rowLabels << QStringLiteral("h%1").arg(i);
        sheet.columnLabels << QStringLiteral("%1%2").arg(QChar("qkvy"[which])).arg(i);
    }
    sheet.values[5] = -0.001f;
    sheet.title = QString::fromUtf8(titles[which]);
    if (which < 3) sheet.highlightedColumns = {which == 0 ? 0 : 1};
    if (which == 3) sheet.highlightedCells = {{1, 2}, {3, 3}};
    if (which == 3) sheet.cursor = MatrixCell{2, 1};
    return sheet;
}

QWidget* matrixPage(const Theme& theme) {
    auto* page = new QFrame;
    auto* grid = new QGridLayout(page);
    for (int which = 0; which < 4; ++which) {
        auto* view = new MatrixView(theme);
        view->setSheet(mixing(which));
        grid->addWidget(card(view), 0, which);
    }
    MatrixSheet wide;
    wide.rows = 8;
    wide.columns = 32;
    for (int i = 0; i < 256; ++i) wide.values.push_back(static_cast<float>(std::cos(i * 0.37)));
    wide.values[40] = std::numeric_limits<float>::quiet_NaN();
    wide.title = QStringLiteral("R, eight heads");
    for (int i = 0; i < 8; ++i) wide.rowLabels << QStringLiteral("h%1").arg(i);
    for (int i = 0; i < 32; ++i) wide.columnLabels << QStringLiteral("y%1").arg(i);
    auto* view = new MatrixView(theme);
    view->setSheet(wide);
    grid->addWidget(card(view), 1, 0, 1, 4);
    return page;
}

QWidget* answerTable(const Theme& theme) {
    auto* table = new QTableView;
    auto* model = new QStandardItemModel(5, 3, table);
    model->setHorizontalHeaderLabels({"token", "MHA", "IHA"});
    const double shares[] = {0.97, 0.31, 0.012, 0.0004, 0};
    for (int row = 0; row < 5; ++row) {
        model->setItem(row, 0, new QStandardItem(QString(QChar('f' + row))));
        for (int column = 1; column < 3; ++column) {
            auto* item = new QStandardItem(QString::number(shares[row], 'f', 2));
            item->setData(shares[row], BarDelegate::barValueRole);
            item->setData(static_cast<int>(column == 1 ? BarKind::mha : BarKind::iha),
                          BarDelegate::barKindRole);
            model->setItem(row, column, item);
        }
    }
    table->setModel(model);
    table->setItemDelegate(new BarDelegate(theme, table));
    table->verticalHeader()->hide();
    table->setShowGrid(false);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table->selectRow(1);
    table->setMinimumHeight(theme.pixels(200));
    return table;
}

QLayout* words() {
    auto* row = new QHBoxLayout;
    for (const char* role : {"title", "strong", "", "soft", "faint", "small", "accent", "mha",
                             "iha", "danger", "token"}) {
        auto* label = new QLabel(*role ? role : "body");
        label->setProperty("role", role);
        row->addWidget(label);
    }
    return row;
}

QLayout* chips() {
    auto* row = new QHBoxLayout;
    for (int i = 0; i < 12; ++i) {
        auto* chip = new QPushButton(QString(QStringLiteral("f=k;a=c;k=7;")[i]));
        chip->setProperty("look", "chip");
        chip->setProperty("evidence", i >= 4 && i < 8);
        chip->setCheckable(true);
        chip->setChecked(i == 9);
        chip->setDisabled(i == 11);
        row->addWidget(chip);
    }
    row->addStretch();
    return row;
}

QLayout* buttons() {
    auto* row = new QHBoxLayout;
    for (const char* look : {"", "quiet", "primary"}) {
        for (bool enabled : {true, false}) {
            auto* button = new QPushButton(*look ? look : "button");
            button->setProperty("look", look);
            button->setEnabled(enabled);
            row->addWidget(button);
        }
    }
    auto* focused = new QPushButton(QStringLiteral("focused"));
    focused->setObjectName("focused");
    row->addWidget(focused);
    auto* tool = new QToolButton;
    tool->setText(QStringLiteral("▶"));
    tool->setCheckable(true);
    tool->setChecked(true);
    row->addWidget(tool);
    auto* group = new QFrame;
    group->setProperty("segments", true);
    auto* inside = new QHBoxLayout(group);
    inside->setContentsMargins(2, 2, 2, 2);
    inside->setSpacing(0);
    for (const char* name : {"linear", "sqrt", "log"}) {
        auto* segment = new QToolButton;
        segment->setText(name);
        segment->setProperty("look", "segment");
        segment->setCheckable(true);
        segment->setChecked(*name == 's');
        inside->addWidget(segment);
    }
    row->addWidget(group);
    row->addStretch();
    return row;
}

QLayout* fields() {
    auto* row = new QHBoxLayout;
    auto* combo = new QComboBox;
    combo->addItems({"Layer 0", "Layer 1"});
    row->addWidget(combo);
    row->addWidget(new QLineEdit(QStringLiteral("a=c;c=f;?a")));
    row->addWidget(new QDoubleSpinBox);
    for (bool on : {true, false}) {
        auto* check = new QCheckBox(on ? QStringLiteral("hide the first token") : "per map");
        check->setChecked(on);
        row->addWidget(check);
        auto* radio = new QRadioButton(on ? QStringLiteral("true chain") : "on its own");
        radio->setAutoExclusive(false);
        radio->setChecked(on);
        row->addWidget(radio);
    }
    return row;
}

QWidget* controlsPage(const Theme& theme) {
    auto* page = new QFrame;
    auto* box = new QVBoxLayout(page);
    auto* bar = new QMenuBar;
    for (const char* name : {"File", "Edit", "View", "Model", "Help"}) bar->addMenu(name);
    box->addWidget(bar);
    box->addLayout(words());
    box->addLayout(chips());
    box->addLayout(buttons());
    box->addLayout(fields());
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setValue(40);
    box->addWidget(slider);
    auto* tabs = new QTabBar;
    for (const char* name : {"Answer", "Evidence", "Cost"}) tabs->addTab(name);
    box->addWidget(tabs);
    box->addWidget(card(answerTable(theme)));
    auto* scroll = new QScrollBar(Qt::Horizontal);
    scroll->setRange(0, 100);
    box->addWidget(scroll);
    auto* menu = new QMenu(page);
    menu->addAction(QStringLiteral("Open checkpoint…"), QKeySequence::Open, page, [] {});
    QAction* shown = menu->addAction(QStringLiteral("Token labels"));
    shown->setCheckable(true);
    shown->setChecked(true);
    menu->addSeparator();
    menu->addMenu(QStringLiteral("Theme"))->addAction("Dark");
    menu->addAction(QStringLiteral("Not now"))->setEnabled(false);
    menu->setActiveAction(shown);
    menu->setWindowFlags(Qt::Widget);
    box->addWidget(menu, 0, Qt::AlignLeft);
    menu->show();
    box->addStretch();
    return page;
}

void paint(QWidget* page, const QSize& size, const QString& file) {
    QWidget window;
    auto* box = new QVBoxLayout(&window);
    box->addWidget(page);
    window.resize(size);
    window.show();
    window.activateWindow();
    if (auto* focused = window.findChild<QPushButton*>("focused")) focused->setFocus();
    QApplication::processEvents();
    for (auto* view : window.findChildren<HeatmapView*>()) {
        for (int press = 0; press < view->property("presses").toInt(); ++press) {
            QKeyEvent plus(QEvent::KeyPress, Qt::Key_Plus, Qt::NoModifier);
            view->setFocus();
            QApplication::sendEvent(view, &plus);
        }
    }
    QApplication::processEvents();
    window.grab().save(file);
}

}  // namespace
}  // namespace headloom

int main(int argc, char** argv) {
    using namespace headloom;
    QApplication application(argc, argv);
    const QDir folder(argc > 1 ? argv[1] : ".");
    const double scale = argc > 2 ? QString(argv[2]).toDouble() : 1;
    for (ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
        Theme theme(kind);
        theme.setScale(scale);
        dress(application, theme);
        const auto draw = [&](const char* name, QWidget* page, int width, int height) {
            const QString file =
                QStringLiteral("%1-%2.png").arg(name, kind == ThemeKind::dark ? "dark" : "light");
            paint(page, QSize(theme.pixels(width), theme.pixels(height)), folder.filePath(file));
        };
        draw("maps", mapsPage(theme), 1300, 820);
        draw("zoom", zoomPage(theme), 1300, 700);
        draw("matrix", matrixPage(theme), 900, 420);
        draw("controls", controlsPage(theme), 900, 720);
    }
    return 0;
}
