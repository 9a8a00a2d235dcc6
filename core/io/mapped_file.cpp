#include "core/io/mapped_file.h"

#include "core/io/source_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace headloom {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
    const auto refuse = [&path](Error::Kind kind, std::string what, std::string remedy) {
        return fail(kind, path.string(), std::move(what), std::move(remedy));
    };
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return refuse(Error::Kind::notFound, "there is no such file", "check the path");
        return refuse(Error::Kind::ioFailure, std::strerror(errno),
                      "check the path and its rights");
    }
    // Asked before opening: opening a pipe would wait for a writer.
    if (S_ISDIR(status.st_mode))
        return refuse(Error::Kind::badFile, "is a folder", "name a file in it");
    if (!S_ISREG(status.st_mode))
        return refuse(Error::Kind::badFile, "is not a regular file", "copy its contents to a file");

    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return refuse(Error::Kind::ioFailure, std::strerror(errno), "check who may read the file");
    const auto size = static_cast<std::size_t>(status.st_size);
    void* data = nullptr;
    if (size > 0) data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int failure = errno;
    ::close(descriptor);
    if (data == MAP_FAILED)
        return refuse(Error::Kind::ioFailure, std::strerror(failure),
                      "copy the file to a local disk");
    return std::shared_ptr<const MappedFile>(
        new MappedFile(static_cast<const std::byte*>(data), size));
}

Result<SourceFile> SourceFile::open(const std::filesystem::path& path) {
    auto mapped = MappedFile::open(path);
    if (!mapped) return tl::unexpected(mapped.error());
    const auto bytes = (*mapped)->bytes();
    return SourceFile{path, bytes, std::move(*mapped)};
}

MappedFile::~MappedFile() {
    if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace headloom
