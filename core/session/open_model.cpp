#include "core/session/open_model.h"

#include "core/io/model_file.h"
#include "core/session/bundled.h"

namespace headloom {

Result<OpenedModel> openModel(const std::string& pathOrName, const LoadOptions& options) {
    const auto file = findModelFile(pathOrName);
    if (!file) return tl::unexpected(file.error());
    auto loaded = loadCheckpoint(*file, options);
    if (!loaded) return tl::unexpected(loaded.error());
    if (!loaded->model && loaded->report.architecture == "headloom")
        return tl::unexpected(loadModel(*file).error());  // says best what is wrong with it
    if (!loaded->model) {
        std::string why = loaded->report.notRunnable;
        if (why.ends_with('.')) why.pop_back();
        return fail(Error::Kind::unsupported, file->string(), "does not run: " + why,
                    "see \"headloom-cli inspect\"");
    }
    OpenedModel opened;
    opened.model = std::make_shared<const Model>(std::move(*loaded->model));
    opened.report = std::move(loaded->report);
    opened.bos = loaded->bos;
    return opened;
}

}  // namespace headloom
