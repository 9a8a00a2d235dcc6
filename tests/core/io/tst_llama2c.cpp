#include "tests/support/llama2c_writer.h"
#include "tests/support/tensor_checks.h"

#include <doctest/doctest.h>

using namespace headloom;
using namespace headloom::testing;

namespace {

using Sizes = std::vector<std::int64_t>;

/// The numbers that Llama2cModel wrote for tensor `index` of the file.
Numbers expected(int index, int count) {
    Numbers all;
    for (int i = 0; i < count; ++i) all.push_back(Llama2cModel::value(index, i));
    return all;
}

void checkShapes(const TensorSource& source) {
    CHECK(source.find("tok_embeddings.weight")->shape == Sizes{6, 8});
    CHECK(source.find("layers.1.attention_norm.weight")->shape == Sizes{8});
    CHECK(source.find("layers.1.attention.wq.weight")->shape == Sizes{8, 8});
    CHECK(source.find("layers.1.attention.wk.weight")->shape == Sizes{4, 8});
    CHECK(source.find("layers.1.attention.wv.weight")->shape == Sizes{4, 8});
    CHECK(source.find("layers.1.attention.wo.weight")->shape == Sizes{8, 8});
    CHECK(source.find("layers.1.ffn_norm.weight")->shape == Sizes{8});
    CHECK(source.find("layers.1.feed_forward.w1.weight")->shape == Sizes{12, 8});
    CHECK(source.find("layers.1.feed_forward.w2.weight")->shape == Sizes{8, 12});
    CHECK(source.find("layers.1.feed_forward.w3.weight")->shape == Sizes{12, 8});
    CHECK(source.find("norm.weight")->shape == Sizes{8});
    const auto& metadata = source.metadata();
    CHECK(metadata.at("dim") == "8");
    CHECK(metadata.at("hidden_dim") == "12");
    CHECK(metadata.at("n_layers") == "2");
    CHECK(metadata.at("n_heads") == "4");
    CHECK(metadata.at("n_kv_heads") == "2");
    CHECK(metadata.at("vocab_size") == "6");
    CHECK(metadata.at("max_seq_len") == "3");
}

}  // namespace

TEST_CASE("llama2.c version 0 is told by its size, tied or not") {
    const auto tied = opened(Llama2cModel{}.version0());
    CHECK(tied->format() == "llama2.c, version 0");
    CHECK(tied->metadata().at("shared_classifier") == "true");
    CHECK(tied->find("output.weight") == nullptr);
    checkShapes(*tied);
    CHECK(numbersOf(*tied, "tok_embeddings.weight") == expected(0, 48));
    CHECK(numbersOf(*tied, "layers.1.attention.wk.weight") == expected(6, 32));
    CHECK(numbersOf(*tied, "layers.0.feed_forward.w2.weight") == expected(15, 96));
    CHECK(numbersOf(*tied, "norm.weight") == expected(19, 8));

    const auto untied = opened(Llama2cModel{.tied = false}.version0());
    CHECK(untied->metadata().at("shared_classifier") == "false");
    checkShapes(*untied);
    // behind the tables of RoPE, which are passed over
    CHECK(numbersOf(*untied, "output.weight") == expected(20, 48));
}

TEST_CASE("llama2.c versions 1 and 2 have the norms first") {
    for (const int version : {1, 2}) {
        CAPTURE(version);
        const auto source = opened(Llama2cModel{.tied = false}.later(version));
        checkShapes(*source);
        CHECK(source->metadata().at("version") == std::to_string(version));
        CHECK(numbersOf(*source, "layers.1.ffn_norm.weight") == expected(3, 8));
        CHECK(numbersOf(*source, "norm.weight") == expected(4, 8));
        CHECK(numbersOf(*source, "tok_embeddings.weight") == expected(5, 48));
        CHECK(numbersOf(*source, "layers.1.feed_forward.w3.weight") == expected(19, 96));
        CHECK(numbersOf(*source, "output.weight") == expected(20, 48));
    }
    const auto quantised = opened(Llama2cModel{}.later(2));
    CHECK(quantised->metadata().at("group_size") == "4");
    CHECK(quantised->find("norm.weight")->type == StoredType::f32);
    CHECK(quantised->find("tok_embeddings.weight")->type == StoredType::i8Groups);
    CHECK(quantised->find("tok_embeddings.weight")->bytes == 48 + 12 * 4);
    CHECK(quantised->find("output.weight") == nullptr);
}

TEST_CASE("stories260K opens whole") {
    const std::string path = fixture("llama2c/stories260K.bin");
    if (path.empty()) {
        MESSAGE("skipped: HEADLOOM_FIXTURES is not set");
        return;
    }
    const auto source = openTensorSource(path).value();
    CHECK(source->format() == "llama2.c, version 0");
    CHECK(source->entries().size() == 1 + 5 * 9 + 1);
    CHECK(source->find("tok_embeddings.weight")->shape == Sizes{512, 64});
    CHECK(source->find("layers.4.attention.wk.weight")->shape == Sizes{32, 64});
    CHECK(source->find("layers.4.feed_forward.w1.weight")->shape == Sizes{172, 64});
    CHECK(source->metadata().at("n_kv_heads") == "4");
    // A trained norm's gains lie around 1; a wrong order would show weights around 0 here.
    double sum = 0;
    for (const double gain : numbersOf(*source, "norm.weight")) sum += gain;
    CHECK(sum / 64 > 1);
}
