#pragma once

#include "core/tensor/tensor.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>

namespace headloom {

/// A file of tests/data/golden: float64 tensors in safetensors form (8 bytes of header length, a
/// JSON header, the numbers). Our own files, so nothing is checked beyond what a typing error in a
/// test could break.
class GoldenFile {
  public:
    explicit GoldenFile(const std::string& name) {
        std::ifstream file(std::string(HEADLOOM_TEST_DATA) + "/golden/" + name, std::ios::binary);
        std::uint64_t length = 0;
        file.read(reinterpret_cast<char*>(&length), sizeof length);
        std::string header(length, ' ');
        file.read(header.data(), static_cast<std::streamsize>(length));
        if (!file) throw std::runtime_error("cannot read " + name);
        header_ = nlohmann::json::parse(header);
        data_.assign(std::istreambuf_iterator<char>(file), {});
    }

    Tensor operator[](const std::string& name) const {
        const nlohmann::json& entry = header_.at(name);
        const auto sizes = entry.at("shape").get<std::vector<std::int64_t>>();
        const auto begin = entry.at("data_offsets").at(0).get<std::size_t>();
        const Tensor made = Tensor::host(Shape(sizes), DType::f64);
        std::copy_n(data_.data() + begin, made.bytes(), reinterpret_cast<char*>(made.raw()));
        return made;
    }

  private:
    nlohmann::json header_;
    std::vector<char> data_;
};

}  // namespace headloom
