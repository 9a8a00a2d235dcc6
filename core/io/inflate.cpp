#include "core/io/inflate.h"

#include <zlib.h>

#include <algorithm>

namespace headloom {

std::optional<std::vector<std::byte>> inflateUpTo(std::span<const std::byte> deflated,
                                                  std::size_t most) {
    z_stream stream = {};
    // negative: neither zlib's nor gzip's header around the data
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
    std::vector<std::byte> out;
    int state = Z_OK;
    // Grown by doubling, so that a false claim of a huge size costs no memory; in steps, because
    // zlib counts in 32 bits.
    while (state == Z_OK && out.size() < most) {
        constexpr std::size_t smallest = 64 * 1024, largest = std::size_t{1} << 30;
        const std::size_t begin = out.size();
        const std::size_t room = std::min({most - begin, std::max(begin, smallest), largest});
        out.resize(begin + room);
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
        stream.avail_out = static_cast<uInt>(room);
        while (state == Z_OK && stream.avail_out > 0) {
            if (stream.avail_in == 0) {
                const std::size_t piece = std::min(deflated.size(), largest);
                if (piece == 0) break;
                stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(deflated.data()));
                stream.avail_in = static_cast<uInt>(piece);
                deflated = deflated.subspan(piece);
            }
            state = ::inflate(&stream, Z_NO_FLUSH);
        }
        out.resize(begin + room - stream.avail_out);
        if (stream.avail_out > 0) break;
    }
    ::inflateEnd(&stream);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) return std::nullopt;
    return out;
}

}  // namespace headloom
