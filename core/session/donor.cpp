#include "core/session/donor.h"

#include "core/session/chain_run.h"

#include <cassert>

namespace headloom {

Result<std::shared_ptr<const ActivationTrace>> donorOver(int rows, std::span<const int> otherPrompt,
                                                         const std::shared_ptr<const Model>& model,
                                                         Backend& backend,
                                                         const std::function<bool()>& cancelled) {
    assert(static_cast<int>(otherPrompt.size()) >= rows);
    ChainRequest request;
    request.model = model;
    request.prompt.assign(otherPrompt.begin(), otherPrompt.begin() + rows);
    request.cancelled = cancelled;
    auto run = runChain(request, backend);
    if (!run) return tl::unexpected(run.error());
    return std::make_shared<const ActivationTrace>(std::move(run->trace));
}

Result<Ablation> withDonor(const Ablation& ablation, int rows,
                           const std::shared_ptr<const Model>& model, Backend& backend,
                           const std::function<bool()>& cancelled) {
    if (auto fine = checkAblation(ablation, model->config, rows); !fine)
        return tl::unexpected(fine.error());
    if (ablation.donor || ablation.otherPrompt.empty() || !ablation.takesFromOther())
        return ablation;
    auto donor = donorOver(rows, ablation.otherPrompt, model, backend, cancelled);
    if (!donor) return tl::unexpected(donor.error());
    Ablation made = ablation;
    made.donor = std::move(*donor);
    return made;
}

}  // namespace headloom
