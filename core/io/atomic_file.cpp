#include "core/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace headloom {

namespace {

namespace fs = std::filesystem;

/// An open temporary file; removed unless `keep` was called.
class Temporary {
  public:
    explicit Temporary(const fs::path& target) {
        static std::atomic<unsigned> counter{0};
        path_ = target.string() + fmt::format(".{}-{}.tmp", ::getpid(), counter++);
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    ~Temporary() {
        if (descriptor_ < 0) return;
        ::close(descriptor_);
        if (!kept_) ::unlink(path_.c_str());
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    bool open() const { return descriptor_ >= 0; }
    bool write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return false;
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
        return true;
    }
    bool renameTo(const fs::path& target) {
        if (::fsync(descriptor_) != 0 || ::rename(path_.c_str(), target.c_str()) != 0) return false;
        kept_ = true;
        return true;
    }

  private:
    std::string path_;
    int descriptor_ = -1;
    bool kept_ = false;
};

/// Makes the rename itself durable. Some file systems refuse this; the contents are safe anyway.
void flushFolder(const fs::path& file) {
    const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

}  // namespace

Result<void> writeFileAtomically(const fs::path& path,
                                 const std::vector<std::span<const std::byte>>& pieces) {
    std::error_code ignored;
    fs::path target = path;
    if (fs::is_symlink(path, ignored)) {
        const fs::path resolved = fs::weakly_canonical(path, ignored);
        if (!ignored) target = resolved;
    }
    const auto refuse = [&path](int failure) {
        return fail(Error::Kind::ioFailure, path.string(),
                    fmt::format("cannot be written ({})", std::strerror(failure)),
                    "check that the folder exists, may be written and has room");
    };
    if (fs::is_directory(target, ignored)) return refuse(EISDIR);
    Temporary temporary(target);
    if (!temporary.open()) return refuse(errno);
    for (const auto& piece : pieces)
        if (!temporary.write(piece)) return refuse(errno);
    if (!temporary.renameTo(target)) return refuse(errno);
    flushFolder(target);
    return {};
}

Result<void> writeFileAtomically(const fs::path& path, std::string_view text) {
    return writeFileAtomically(path, {std::as_bytes(std::span(text.data(), text.size()))});
}

}  // namespace headloom
