#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace headloom::testing {

/// Opens the bytes as whatever container they are, and reads every tensor.
void openContainer(std::span<const std::byte> bytes);
/// Opens the bytes as the pickle within a PyTorch archive, whose checksum-less shell would only
/// stand in the way.
void openPickle(std::span<const std::byte> bytes);
void openShardIndex(std::span<const std::byte> bytes);

std::vector<std::string> safetensorsSeeds();
std::vector<std::string> llama2cSeeds();
std::vector<std::string> npySeeds();
std::vector<std::string> npzSeeds();
std::vector<std::string> torchSeeds();
std::vector<std::string> pickleSeeds();
std::vector<std::string> shardIndexSeeds();

}  // namespace headloom::testing
