#pragma once

#include <doctest/doctest.h>

/// CAPTURE for a structured binding: clang 14 does not let a lambda capture one, but does its copy.
#define CAPTURE_BINDING(name)          \
    const auto captured_##name = name; \
    CAPTURE(captured_##name)
