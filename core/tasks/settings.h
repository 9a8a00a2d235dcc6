#pragma once

#include "core/base/error.h"

#include <map>
#include <string>
#include <vector>

namespace headloom {

/// What a user sets in a task, as text: "hops" -> "4". A name that is missing has its default.
using TaskSettings = std::map<std::string, std::string>;

/// One thing that can be set, with all that a window or the command line needs to offer it.
struct TaskSetting {
    enum class Kind {
        wholeNumber,   ///< "4"
        decimal,       ///< "0.325"
        wholeNumbers,  ///< "2,3,4,5": white space or commas between them
        words          ///< "031254 341250": the same
    };
    std::string name;      ///< "hops", in files and on the command line
    std::string title;     ///< "Hops a chain"
    std::string sentence;  ///< what it does, one sentence with a full stop
    Kind kind = Kind::wholeNumber;
    std::string standard;        ///< the default, as text
    double least = 0, most = 0;  ///< of the number, or of each one of the list; unused for words

    /// "1 to 8", "numbers from 1 to 9", "words".
    std::string range() const;
};

/// Settings that belong together under a name, such as the sizes of a publication.
struct TaskPreset {
    std::string name;   ///< the value of the setting "preset"
    std::string title;  ///< what it is, a few words
    TaskSettings settings;
};

/// What a task lets a user set. The setting "preset" takes the name of a preset: its values come
/// first, those given beside it win.
struct TaskChoices {
    std::vector<TaskSetting> settings;
    std::vector<TaskPreset> presets;
};

/// Settings read and checked, one by one, against a task's choices.
class SettingValues {
  public:
    /// Errors: an unknown name, a value of another kind or out of its range; the sentence has the
    /// setting's name, its range and a remedy.
    static Result<SettingValues> read(const TaskChoices& choices, const TaskSettings& given);

    int whole(const std::string& name) const;
    double decimal(const std::string& name) const;
    std::vector<int> wholes(const std::string& name) const;
    std::vector<std::string> words(const std::string& name) const;
    /// Every setting of the task, each written in one way only.
    const TaskSettings& all() const { return values_; }

  private:
    TaskSettings values_;
};

/// A refused setting: `what` and `remedy` as in Error.
tl::unexpected<Error> badSetting(const std::string& name, std::string what, std::string remedy);

}  // namespace headloom
