#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headloom::testing {

/// The bytes of numbers as they lie in memory.
template <class T>
std::string bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <class T>
std::string bytesOf(T value) {
    return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

inline std::string deflated(const std::string& content) {
    z_stream stream = {};
    if (::deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("zlib");
    std::string out(::deflateBound(&stream, content.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}

/// One member of a zip archive, and what a hostile writer may claim about it.
struct ZipPart {
    std::string name, content;
    bool deflate = false;
    std::uint16_t flags = 0;
    std::uint32_t claimedBytes = 0;  ///< of the content; 0: the truth
    bool zip64 = false;              ///< sizes and offset in the ZIP64 field
};

/// A zip archive as PyTorch writes it: the sizes stand in the central directory only.
inline std::string zipOf(const std::vector<ZipPart>& parts) {
    std::string out, directory;
    for (const ZipPart& part : parts) {
        const std::string stored = part.deflate ? deflated(part.content) : part.content;
        const std::uint16_t method = part.deflate ? 8 : 0;
        const auto offset = static_cast<std::uint32_t>(out.size());
        const auto nameBytes = static_cast<std::uint16_t>(part.name.size());
        const std::string pad = "FB" + bytesOf<std::uint16_t>(3) + "ZZZ";
        out += "PK\x03\x04" + bytesOf<std::uint16_t>(0) +
               bytesOf<std::uint16_t>(part.flags | 0x0808) + bytesOf(method) +
               std::string(16, '\0') + bytesOf(nameBytes) +
               bytesOf(static_cast<std::uint16_t>(pad.size())) + part.name + pad + stored;
        const auto size =
            static_cast<std::uint32_t>(part.claimedBytes ? part.claimedBytes : part.content.size());
        const auto packed = static_cast<std::uint32_t>(
            part.claimedBytes && !part.deflate ? part.claimedBytes : stored.size());
        std::string extra;
        if (part.zip64)
            extra = bytesOf<std::uint16_t>(1) + bytesOf<std::uint16_t>(24) +
                    bytesOf<std::uint64_t>(size) + bytesOf<std::uint64_t>(packed) +
                    bytesOf<std::uint64_t>(offset);
        const std::uint32_t in64 = 0xffffffff;
        directory += "PK\x01\x02" + std::string(4, '\0') +
                     bytesOf<std::uint16_t>(part.flags | 0x0808) + bytesOf(method) +
                     std::string(8, '\0') + bytesOf(part.zip64 ? in64 : packed) +
                     bytesOf(part.zip64 ? in64 : size) + bytesOf(nameBytes) +
                     bytesOf(static_cast<std::uint16_t>(extra.size())) + std::string(10, '\0') +
                     bytesOf(part.zip64 ? in64 : offset) + part.name + extra;
    }
    const auto count = static_cast<std::uint16_t>(parts.size());
    return out + directory + "PK\x05\x06" + std::string(4, '\0') + bytesOf(count) + bytesOf(count) +
           bytesOf(static_cast<std::uint32_t>(directory.size())) +
           bytesOf(static_cast<std::uint32_t>(out.size())) + std::string(2, '\0');
}

/// A .npy file of version 1 with this header.
inline std::string npyOf(const std::string& header, const std::string& data) {
    std::string padded = header;
    padded.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
    padded += '\n';
    return "\x93NUMPY\x01" + std::string(1, '\0') +
           bytesOf(static_cast<std::uint16_t>(padded.size())) + padded + data;
}
inline std::string npyOf(const std::string& descr, const std::string& shape,
                         const std::string& data, bool fortranOrder = false) {
    return npyOf("{'descr': '" + descr + "', 'fortran_order': " +
                     (fortranOrder ? "True" : "False") + ", 'shape': " + shape + ", }",
                 data);
}

/// A safetensors file of this header.
inline std::string safetensorsOf(const std::string& header, const std::string& data = {}) {
    return bytesOf<std::uint64_t>(header.size()) + header + data;
}

}  // namespace headloom::testing
