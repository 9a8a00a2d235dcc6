#pragma once

#include "views/viewmodels/map_ref.h"

#include <QObject>
#include <QString>

#include <vector>

class QSettings;

namespace headloom {

/// A file that stood in a column, and the tokenizer that was chosen for it, if any.
struct RecentFile {
    QString path;
    Side side = Side::left;
    QString tokenizer;
    friend bool operator==(const RecentFile&, const RecentFile&) = default;
};

/// The files opened last, newest first. Opening one again moves it to the front.
class RecentFiles : public QObject {
    Q_OBJECT
  public:
    static constexpr int most = 10;

    using QObject::QObject;

    const std::vector<RecentFile>& files() const { return files_; }
    void add(const RecentFile& file);
    void clear();

    void write(QSettings& settings) const;
    /// Entries that are damaged are left out.
    void read(QSettings& settings);

  signals:
    void changed();

  private:
    std::vector<RecentFile> files_;
};

}  // namespace headloom
