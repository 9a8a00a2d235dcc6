#include "views/panels/load_banner.h"

#include "views/panels/elided_label.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/words.h"

#include <QGridLayout>
#include <QProgressBar>
#include <QToolButton>

namespace headloom {

namespace {
constexpr int barSteps = 1000;
}  // namespace

LoadBanner::LoadBanner(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent)
    : QFrame(parent),
      model_(&model),
      side_(side),
      theme_(&theme),
      words_(new ElidedLabel),
      bar_(new QProgressBar),
      cancel_(new QToolButton) {
    setProperty("card", "true");
    bar_->setTextVisible(false);
    bar_->setAccessibleName(tr("Share of the model that is read"));
    cancel_->setText(tr("Cancel"));
    cancel_->setToolTip(tr("Stop; the column keeps what it shows"));
    cancel_->setFocusPolicy(Qt::TabFocus);
    auto* grid = new QGridLayout(this);
    grid->addWidget(words_, 0, 0);
    grid->addWidget(bar_, 1, 0);
    grid->addWidget(cancel_, 0, 1, 2, 1);
    grid->setColumnStretch(0, 1);
    connect(cancel_, &QToolButton::clicked, this, [this] {
        if (model_->session().loading(side_))
            model_->session().cancelLoading(side_);
        else
            model_->session().cancelRunning();
    });
    connect(&model.session(), &ExploreSession::answered, this, &LoadBanner::refresh);
    connect(&model.session(), &ExploreSession::loadingProgressed, this, &LoadBanner::refresh);
    connect(&model.session(), &ExploreSession::stateChanged, this, [this] {
        // shown by progress alone, so that what is read at once does not flash
        if (isVisibleTo(parentWidget())) refresh();
    });
    connect(&theme, &Theme::changed, this, &LoadBanner::restyle);
    restyle();
    hide();
}

/// Share of the run that is done, negative where there is none to be told of here. Both columns are
/// one run: it is said once, where the first model stands.
double LoadBanner::runningHere() const {
    const auto& columns = model_->session().state().columns;
    const Side first = columns[0].choice.id.isEmpty() ? Side::right : Side::left;
    return side_ == first ? model_->session().running().value_or(-1) : -1;
}

void LoadBanner::refresh() {
    const auto load = model_->session().loading(side_);
    const double run = load ? -1 : runningHere();
    setVisible(load || run >= 0);
    if (run >= 0) {
        words_->setWhole(tr("Running the prompt: %1 %").arg(qRound(run * 100)));
        bar_->setRange(0, barSteps);
        bar_->setValue(static_cast<int>(run * barSteps));
    }
    if (!load) return;
    if (load->total == 0) {
        words_->setWhole(tr("Opening %1…").arg(load->title));
        bar_->setRange(0, 0);
        return;
    }
    const auto bytes = [](std::uint64_t count) {
        return bytesText(static_cast<std::int64_t>(count));
    };
    words_->setWhole(load->done < load->total
                         ? tr("Reading %1: %2 of %3 of weights")
                               .arg(load->title, bytes(load->done), bytes(load->total))
                         : tr("Checking the weights of %1").arg(load->title));
    bar_->setRange(0, barSteps);
    bar_->setValue(static_cast<int>(static_cast<double>(load->done) /
                                    static_cast<double>(load->total) * barSteps));
}

void LoadBanner::restyle() {
    const int edge = theme_->pixels(10);
    layout()->setContentsMargins(edge, theme_->pixels(6), edge, theme_->pixels(8));
    layout()->setSpacing(theme_->pixels(4));
    bar_->setFixedHeight(theme_->pixels(6));
}

}  // namespace headloom
