#pragma once

#include <QTimer>
#include <QToolButton>

namespace headloom {

/// Stops work on its way, and starts it again. Work that ends at once does not make it flicker.
class StopButton : public QToolButton {
    Q_OBJECT
  public:
    struct Words {
        QString again;              ///< what it says where nothing runs
        QString stopTip, againTip;  ///< what a press does, while something runs and otherwise
    };
    explicit StopButton(Words words);

    /// `startable`: the work can be started by this button; while neither, it is not there, and its
    /// room is kept.
    void setState(bool running, bool startable);

  signals:
    void stopWanted();
    void startWanted();

  private:
    void refresh();

    Words words_;
    bool running_ = false, startable_ = false;
    QTimer patience_;  ///< runs while work is too young to be stopped
};

}  // namespace headloom
