#include "views/window/map_saver.h"

#include <QBuffer>
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QPainter>
#include <QSaveFile>
#include <QSvgRenderer>

#include <algorithm>

namespace headloom {

namespace {

QByteArray asPng(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

/// Why not, in a sentence; empty: it was.
QString notWritten(const QByteArray& bytes, const QString& path) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return MapSaver::tr("%1 cannot be written: %2. Choose another place")
        .arg(path, file.errorString());
}

}  // namespace

QImage rasterized(const QByteArray& svg, int mostPixels) {
    QSvgRenderer renderer(svg);
    const QSizeF size = renderer.defaultSize();
    const double longer = std::max(1.0, std::max(size.width(), size.height()));
    const double scale = std::min(2.0, mostPixels / longer);
    QImage image((size * scale).toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter);
    return image;
}

void MapSaver::work(const Result<Exportable>& shown, ExportFormat format,
                    std::function<LatestJob::Deliver(const QByteArray&)> then) {
    if (!shown) {
        emit failed(QString::fromStdString(shown.error().sentence()));
        return;
    }
    job_.start([this, bytes = shown->take(format),
                then = std::move(then)](const LatestJob::Cancelled&) -> LatestJob::Deliver {
        const auto made = bytes();
        if (made) return then(*made);
        return [this, sentence = QString::fromStdString(made.error().sentence())] {
            emit failed(sentence);
        };
    });
}

void MapSaver::save(const Result<Exportable>& shown, const QString& path) {
    const QString kind = QFileInfo(path).suffix().toLower();
    if (kind != QLatin1String("svg") && kind != QLatin1String("png") &&
        kind != QLatin1String("csv")) {
        emit failed(tr("“%1” does not say what to write: end the name in .svg, .png or .csv")
                        .arg(QFileInfo(path).fileName()));
        return;
    }
    const bool png = kind == QLatin1String("png");
    if (!shown) return void(emit failed(QString::fromStdString(shown.error().sentence())));
    work(shown, kind == QLatin1String("csv") ? ExportFormat::csv : ExportFormat::svg,
         [this, path, png, title = shown->title](const QByteArray& bytes) -> LatestJob::Deliver {
             const QString problem = notWritten(png ? asPng(rasterized(bytes)) : bytes, path);
             return [this, path, problem, title] {
                 problem.isEmpty() ? emit done(tr("%1: written to %2").arg(title, path))
                                   : emit failed(problem);
             };
         });
}

void MapSaver::copyPicture(const Result<Exportable>& shown) {
    work(shown, ExportFormat::svg, [this](const QByteArray& svg) -> LatestJob::Deliver {
        return [this, image = rasterized(svg)] {
            QGuiApplication::clipboard()->setImage(image);
            emit done(tr("On the clipboard as a picture"));
        };
    });
}

void MapSaver::copyNumbers(const Result<Exportable>& shown) {
    work(shown, ExportFormat::csv, [this](const QByteArray& csv) -> LatestJob::Deliver {
        return [this, csv] {
            QGuiApplication::clipboard()->setText(QString::fromUtf8(csv));
            emit done(tr("The numbers are on the clipboard, a line each"));
        };
    });
}

}  // namespace headloom
