#include "tests/gpu/device/check.h"

#include "app/cli/bench_cases.h"
#include "core/backend/conformance.h"
#include "tests/gpu/device/check_models.h"

#include <algorithm>

namespace headloom::device {

namespace {

bool report(const char* group, const std::vector<ConformanceRecord>& records) {
    Report report(group);
    for (const ConformanceRecord& record : records)
        report.add(record.op + " " + record.shape, record.maxRelative, record.tolerance);
    return report.close();
}

/// A failed allocation is an error that says so, and does no harm to what follows.
bool checkNoMemory(Backend& backend) {
    Report report("too much memory");
    try {
        backend.allocate({std::int64_t{1} << 42}, DType::f32);
        report.fail("allocate", "16 TiB were given");
    } catch (const BackendFailure& failure) {
        report.add("allocate", failure.error().kind == Error::Kind::outOfMemory ? 0 : 1, 0);
    }
    checkModel(smallModels().front(), backend, report);
    return report.close();
}

}  // namespace

bool check(Device& device, const CheckOptions& options) {
    Backend& backend = *device.backend;
    bool passed = true;
    if (options.operators) {
        const ConformanceOptions conformance{options.seed, DType::f32};
        passed &= report("operators", checkAgainstReference(backend, conformance));
        passed &= report("gradients of operators", checkGradients(backend, conformance));
    }
    Report models("whole models");
    for (ModelCase model : smallModels()) {
        if (options.small) model.steps = 3;
        checkModel(model, backend, models);
    }
    passed &= models.close();
    if (!options.small) {
        Report large("whole models of class size");
        for (const cli::BenchCase& size : cli::forwardCases())
            if (std::string(size.name).ends_with("-class"))
                checkModel({size.name, size.config(), 1, size.tokens, 1}, backend, large);
        passed &= large.close();
    }
    if (!backend.info().isHost) passed &= checkNoMemory(backend);
    return passed;
}

}  // namespace headloom::device
