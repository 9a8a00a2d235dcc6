#include "views/viewmodels/tensor_view_model.h"

#include "core/io/architectures/load_checkpoint.h"
#include "core/models/guarded.h"
#include "views/viewmodels/tensor_forest.h"
#include "views/viewmodels/words.h"

#include <QStringList>

namespace headloom {

namespace {

QString fateText(const TensorFate& fate) {
    QStringList ours;
    for (const std::string& name : fate.becomes) ours << QString::fromStdString(name);
    switch (fate.use) {
        case TensorUse::used:
            return TensorViewModel::tr("used as %1").arg(ours.join(QStringLiteral(", ")));
        case TensorUse::tied:
            return TensorViewModel::tr("tied: equal to the embedding, which is used");
        case TensorUse::ignored:
            return TensorViewModel::tr("ignored: a buffer that training leaves in files");
        case TensorUse::unexpected:
            break;
    }
    return TensorViewModel::tr("unexpected: the architecture has no such tensor");
}

/// How the bytes lie, where that is not in rows and little-endian.
QString layoutText(const TensorEntry& entry) {
    QStringList words;
    if (entry.bigEndian) words << TensorViewModel::tr("big-endian");
    if (!entry.strides.empty())
        words << TensorViewModel::tr("strides %1").arg(shapeText(entry.strides));
    if (entry.deflated)
        words << TensorViewModel::tr("deflated, %1 unpacked")
                     .arg(bytesText(static_cast<std::int64_t>(entry.deflated->inflatedBytes)));
    return words.join(QStringLiteral(", "));
}

QString limitText(SpectrumLimit limit) {
    switch (limit) {
        case SpectrumLimit::notAMatrix:
            return TensorViewModel::tr("Singular values are those of a matrix");
        case SpectrumLimit::tooLarge:
            return TensorViewModel::tr(
                       "Too large for singular values here: up to %1 on the smaller side and %2 "
                       "numbers. A head's part may be small enough")
                .arg(spectrumSide)
                .arg(countText(spectrumElements));
        case SpectrumLimit::notFinite:
            return TensorViewModel::tr("It holds NaN or infinities, so it has no singular values");
        case SpectrumLimit::none:
            break;
    }
    return {};
}

}  // namespace

QString numberText(double value) {
    return QString::number(value, 'g', 5);
}

TensorViewModel::TensorViewModel(QObject* parent) : QObject(parent) {}

void TensorViewModel::setFile(std::shared_ptr<const LoadedCheckpoint> file) {
    file_ = std::move(file);
    entry_ = -1;
    start({});
}

void TensorViewModel::choose(int entry) {
    if (entry == entry_) return;
    entry_ = entry;
    start({});
}

void TensorViewModel::setPart(const TensorPart& part) {
    if (entry_ >= 0 && !(part == part_)) start(part);
}

const TensorEntry* TensorViewModel::chosenEntry() const {
    return file_ && entry_ >= 0 ? &file_->source->entries()[static_cast<std::size_t>(entry_)]
                                : nullptr;
}

std::int64_t TensorViewModel::matrices() const {
    const TensorEntry* entry = chosenEntry();
    return entry ? matrixCount(entry->shape) : 0;
}

std::int64_t TensorViewModel::rows() const {
    return matrices() > 0 ? chosenEntry()->shape[chosenEntry()->shape.size() - 2] : 0;
}

std::int64_t TensorViewModel::columns() const {
    return matrices() > 0 ? chosenEntry()->shape.back() : 0;
}

std::vector<FactLine> TensorViewModel::facts() const {
    const TensorEntry* entry = chosenEntry();
    if (!entry) return {};
    const auto at = static_cast<std::size_t>(entry_);
    std::vector<FactLine> lines = {
        {tr("Shape"), tr("%1, %2 numbers").arg(shapeText(entry->shape), countText(entry->count()))},
        {tr("Stored as"), tr("%1, %2").arg(QString::fromStdString(entry->typeName),
                                           bytesText(static_cast<std::int64_t>(entry->bytes)))},
        {tr("File"), QString::fromStdString(file_->source->files()[entry->file].name())},
        {tr("Offset"), tr("byte %1").arg(countText(static_cast<std::int64_t>(entry->offset)))}};
    if (const QString layout = layoutText(*entry); !layout.isEmpty())
        lines.push_back({tr("Layout"), layout});
    if (!file_->report.architecture.empty() && at < file_->report.tensors.size())
        lines.push_back({tr("In the model"), fateText(file_->report.tensors[at])});
    return lines;
}

std::vector<FactLine> TensorViewModel::statistics() const {
    if (!inspection_) return {};
    const TensorStatistics& found = inspection_->statistics;
    const auto share = [&found](std::int64_t count) {
        const double part =
            found.count > 0 ? 100.0 * static_cast<double>(count) / static_cast<double>(found.count)
                            : 0;
        return count == 0 ? tr("none") : tr("%1 (%2 %)").arg(countText(count)).arg(part, 0, 'g', 3);
    };
    std::vector<FactLine> lines;
    if (found.finite() > 0)
        lines = {{tr("Least"), numberText(found.least)},
                 {tr("Most"), numberText(found.most)},
                 {tr("Mean"), numberText(found.mean)},
                 {tr("Deviation"), numberText(found.deviation)}};
    lines.push_back({tr("Zeros"), share(found.zeros)});
    lines.push_back({tr("NaN"), share(found.nans)});
    lines.push_back({tr("Infinite"), share(found.infinities)});
    return lines;
}

MatrixShown TensorViewModel::picture() const {
    if (!inspection_ || !inspection_->picture.values) return {};
    return matrixShown(inspection_->picture.values, inspection_->picture.block);
}

void TensorViewModel::start(const TensorPart& wanted) {
    part_ = wanted;
    reader_.cancel();
    decomposer_.cancel();
    inspection_.reset();
    spectrum_.clear();
    spectrumText_.clear();
    problem_.clear();
    stopped_ = false;
    if (const TensorEntry* entry = chosenEntry())
        reader_.start([this, file = file_, entry, part = part_](const auto& cancelled) {
            const auto elements = guarded([&] { return partOf(*file->source, *entry, part); });
            std::shared_ptr<const TensorInspection> found;
            if (elements)
                if (auto made = inspect(*elements, cancelled))
                    found = std::make_shared<const TensorInspection>(std::move(*made));
            return LatestJob::Deliver([this, elements, found] {
                inspection_ = found;
                if (!elements) problem_ = sentenceOf(elements.error());
                if (found) decompose(*elements);
                emit inspected();
            });
        });
    emit chosen();
}

void TensorViewModel::stop() {
    if (!working() && !decomposing()) return;
    stopped_ = true;
    if (working())
        problem_ = tr("Its reading was stopped");
    else
        spectrumText_ = tr("The singular values were stopped");
    reader_.cancel();
    decomposer_.cancel();
    emit inspected();
}

void TensorViewModel::decompose(const PartElements& part) {
    spectrumText_ = limitText(spectrumLimit(part, inspection_->statistics));
    if (!spectrumText_.isEmpty()) return;
    decomposer_.start([this, part](const auto& cancelled) {
        auto values = spectrumOf(part, cancelled);
        return LatestJob::Deliver([this, values = std::move(values)] {
            spectrum_ = values;
            spectrumText_ =
                tr("As many directions as %1 of %2 equal ones are used (effective rank)")
                    .arg(effectiveRank(values), 0, 'g', 4)
                    .arg(values.size());
            emit decomposed();
        });
    });
}

}  // namespace headloom
