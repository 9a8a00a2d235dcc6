#include "views/panels/stop_button.h"

namespace headloom {

namespace {
constexpr int shownAfterMs = 300;
}  // namespace

StopButton::StopButton(Words words) : words_(std::move(words)) {
    setFocusPolicy(Qt::TabFocus);
    QSizePolicy keepsItsRoom = sizePolicy();
    keepsItsRoom.setRetainSizeWhenHidden(true);
    setSizePolicy(keepsItsRoom);
    patience_.setSingleShot(true);
    patience_.setInterval(shownAfterMs);
    connect(&patience_, &QTimer::timeout, this, &StopButton::refresh);
    connect(this, &QToolButton::clicked, this,
            [this] { running_ ? emit stopWanted() : emit startWanted(); });
    refresh();
}

void StopButton::setState(bool running, bool startable) {
    if (running && !running_) patience_.start();
    if (!running) patience_.stop();
    running_ = running;
    startable_ = startable;
    if (!patience_.isActive()) refresh();
}

void StopButton::refresh() {
    setText(running_ ? tr("Stop") : words_.again);
    setAccessibleName(text());
    setToolTip(running_ ? words_.stopTip : words_.againTip);
    setAccessibleDescription(toolTip());
    setVisible(running_ || startable_);
}

}  // namespace headloom
