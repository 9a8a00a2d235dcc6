#include "core/base/error.h"

namespace headloom {

std::string Error::sentence() const {
    std::string text = where.empty() ? what : where + ": " + what;
    if (!remedy.empty()) text += "; " + remedy;
    if (!text.empty() && text.back() != '.') text += '.';
    return text;
}

tl::unexpected<Error> fail(Error::Kind kind, std::string where, std::string what,
                           std::string remedy) {
    return tl::unexpected<Error>(Error{kind, std::move(where), std::move(what), std::move(remedy)});
}

BackendFailure::BackendFailure(Error error)
    : error_(std::move(error)), sentence_(error_.sentence()) {}

}  // namespace headloom
