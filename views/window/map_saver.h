#pragma once

#include "views/viewmodels/exportable.h"
#include "views/viewmodels/latest_job.h"

#include <QImage>
#include <QObject>

namespace headloom {

/// Takes what is in view out of the window, on a worker: into a file or onto the clipboard.
class MapSaver : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

    /// By the end of its name: .svg, .png or .csv.
    void save(const Result<Exportable>& shown, const QString& path);
    void copyPicture(const Result<Exportable>& shown);
    void copyNumbers(const Result<Exportable>& shown);
    bool busy() const { return job_.busy(); }

  signals:
    void done(const QString& sentence);
    /// What went wrong and what to do.
    void failed(const QString& sentence);

  private:
    /// Works out the file's bytes or the picture, then hands them over on this thread.
    void work(const Result<Exportable>& shown, ExportFormat format,
              std::function<LatestJob::Deliver(const QByteArray&)> then);

    LatestJob job_;
};

/// An SVG as pixels on white, two a point, and not more than `mostPixels` along its longer side.
QImage rasterized(const QByteArray& svg, int mostPixels = 8000);

}  // namespace headloom
