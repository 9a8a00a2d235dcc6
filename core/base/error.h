#pragma once

#include <tl/expected.hpp>

#include <exception>
#include <string>

namespace headloom {

/// What went wrong, where, and what the user can do about it. Every failure that a user can cause
/// travels as one of these; assertions are for our own mistakes only.
struct Error {
    enum class Kind {
        badInput,     ///< an argument, a prompt or a configuration that cannot be used
        badFile,      ///< a file that is damaged or is not what it claims to be
        notFound,     ///< a file, model or example that does not exist
        unsupported,  ///< understood, but not something this build or backend does
        ioFailure,    ///< the system refused to read or write
        outOfMemory,  ///< an allocation of the size asked for failed
        interrupted   ///< the user stopped it
    };
    Kind kind = Kind::badInput;
    std::string where;   ///< file, tensor, option or field; may be empty
    std::string what;    ///< the cause, without a full stop
    std::string remedy;  ///< what to do next, without a full stop; may be empty

    /// "where: what; remedy." One line, fit for stderr and for a message box.
    std::string sentence() const;
};

template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for the return statement of a function that gives a Result.
tl::unexpected<Error> fail(Error::Kind kind, std::string where, std::string what,
                           std::string remedy = {});

/// Carries an Error out of a backend, whose operators return nothing. Thrown only behind the seam
/// (core/backend) and turned back into a Result by `guarded` in core/models.
class BackendFailure : public std::exception {
  public:
    explicit BackendFailure(Error error);
    const char* what() const noexcept override { return sentence_.c_str(); }
    const Error& error() const { return error_; }

  private:
    Error error_;
    std::string sentence_;
};

}  // namespace headloom
