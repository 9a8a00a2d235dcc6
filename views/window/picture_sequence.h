#pragma once

#include <QObject>

#include <cstdint>
#include <vector>

namespace headloom {

class MainWindow;

/// Paints the window once for each kept moment of the run in view, into one PNG file each, so that
/// a training can be shown as a film. Works between the window's own events; stops with a sentence
/// where a picture cannot be written.
class PictureSequence : public QObject {
    Q_OBJECT
  public:
    PictureSequence(MainWindow& window, const QString& folder);

    void start();

  signals:
    /// How many pictures were written; the sentence is empty unless something went wrong.
    void finished(int pictures, const QString& problem);

  private:
    void next();
    void take();
    void end(const QString& problem);

    MainWindow& window_;
    QString folder_;
    std::vector<std::int64_t> moments_;
    std::size_t at_ = 0;
    bool waiting_ = false;  ///< for the answer that shows the moment
};

}  // namespace headloom
