#include "views/viewmodels/recent_files.h"

#include <QSettings>

namespace headloom {

namespace {
const QString settingsGroup = QStringLiteral("recent");
}  // namespace

void RecentFiles::add(const RecentFile& file) {
    if (file.path.isEmpty() || (!files_.empty() && files_.front() == file)) return;
    std::erase_if(files_, [&](const RecentFile& one) { return one.path == file.path; });
    files_.insert(files_.begin(), file);
    if (files_.size() > most) files_.resize(most);
    emit changed();
}

void RecentFiles::clear() {
    if (files_.empty()) return;
    files_.clear();
    emit changed();
}

void RecentFiles::write(QSettings& settings) const {
    settings.beginWriteArray(settingsGroup, static_cast<int>(files_.size()));
    for (std::size_t i = 0; i < files_.size(); ++i) {
        settings.setArrayIndex(static_cast<int>(i));
        settings.setValue(QStringLiteral("path"), files_[i].path);
        settings.setValue(QStringLiteral("right"), files_[i].side == Side::right);
        settings.setValue(QStringLiteral("tokenizer"), files_[i].tokenizer);
    }
    settings.endArray();
}

void RecentFiles::read(QSettings& settings) {
    files_.clear();
    const int count = settings.beginReadArray(settingsGroup);
    for (int i = 0; i < count && i < most; ++i) {
        settings.setArrayIndex(i);
        RecentFile file;
        file.path = settings.value(QStringLiteral("path")).toString();
        file.side = settings.value(QStringLiteral("right")).toBool() ? Side::right : Side::left;
        file.tokenizer = settings.value(QStringLiteral("tokenizer")).toString();
        if (!file.path.isEmpty()) files_.push_back(std::move(file));
    }
    settings.endArray();
    emit changed();
}

}  // namespace headloom
