#pragma once

#include "views/viewmodels/explore_view_model.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace headloom {

/// No models are installed, so the examples come with small random ones: the same on every machine,
/// whatever has been trained meanwhile.
class UntrainedAssets {
  public:
    UntrainedAssets() { qputenv("HEADLOOM_ASSETS", folder_.path().toUtf8()); }

  private:
    QTemporaryDir folder_;
};

/// Waits for the worker's answer; false where none comes.
inline bool answered(ExploreViewModel& model) {
    return QTest::qWaitFor([&model] { return !model.session().busy(); }, 20'000);
}

}  // namespace headloom
