#include "core/torch/nn/decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <gmock/gmock.h>

#include <cmath>

namespace contrastive::nn {
namespace {

Architecture decoder_shape() {
  Architecture a;
  a.vocab_size = 40;
  a.hidden_size = 16;
  a.num_hidden_layers = 2;
  a.num_attention_heads = 2;
  a.intermediate_size = 24;
  a.max_position_embeddings = 20;
  a.initializer_range = 0.3;
  return a;
}

struct Made {
  TrainableEncoder layers = TrainableEncoder::random(decoder_shape(), 3);
  Decoder decoder{layers, MlmHead::random(decoder_shape(), 3), 3};
};

at::Tensor vectors(int64_t texts) {
  const at::Tensor rows = at::empty({texts, 16}, at::kFloat);
  for (int64_t i = 0; i < rows.numel(); ++i)
    rows.mutable_data_ptr<float>()[i] = std::sin(static_cast<float>(3 * i + 1));
  return rows;
}

at::Tensor logits(const Decoder& decoder, const std::vector<int32_t>& ids,
                  const std::vector<int64_t>& offsets, const at::Tensor& rows,
                  const Dropout& dropout = {}) {
  PackedTokens tokens;
  tokens.ids = ids.data();
  tokens.offsets = offsets.data();
  tokens.texts = static_cast<int64_t>(offsets.size()) - 1;
  return decoder.logits(tokens, rows, dropout).detach();
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(Decoder, ATokenSeesThoseBeforeItAndItsTextsVector) {
  const Made made;
  const std::vector<int32_t> ids = {1, 5, 9, 7, 1, 8, 3};
  const std::vector<int64_t> offsets = {0, 4, 7};
  const at::Tensor rows = vectors(2), whole = logits(made.decoder, ids, offsets, rows);
  EXPECT_EQ(whole.size(0), 7);
  EXPECT_EQ(whole.size(1), 40);
  std::vector<int32_t> other = ids;
  other[2] = 11;
  const at::Tensor changed = logits(made.decoder, other, offsets, rows);
  EXPECT_LT(difference(changed.narrow(0, 0, 2), whole.narrow(0, 0, 2)), 1e-6)
      << "later tokens are not seen";
  EXPECT_GT(difference(changed.narrow(0, 2, 1), whole.narrow(0, 2, 1)), 1e-3);
  EXPECT_GT(difference(changed.narrow(0, 3, 1), whole.narrow(0, 3, 1)), 1e-4);
  EXPECT_LT(difference(changed.narrow(0, 4, 3), whole.narrow(0, 4, 3)), 1e-6) << "nor another text";
  const at::Tensor moved =
      logits(made.decoder, ids, offsets, at::cat({rows.narrow(0, 0, 1), -rows.narrow(0, 1, 1)}));
  EXPECT_LT(difference(moved.narrow(0, 0, 4), whole.narrow(0, 0, 4)), 1e-6);
  for (int64_t t = 4; t < 7; ++t)
    EXPECT_GT(difference(moved.narrow(0, t, 1), whole.narrow(0, t, 1)), 1e-3)
        << "every token sees its text's vector";
}

TEST(Decoder, DropoutOfTheVectorsBlockKeepsItsMeanAndIsAFunctionOfTheExample) {
  const Made made;
  const std::vector<int32_t> ids = {1, 5, 9};
  const std::vector<int64_t> offsets = {0, 3};
  const at::Tensor rows = vectors(1), clean = logits(made.decoder, ids, offsets, rows);
  Dropout dropout;
  dropout.attention = 0.1;
  dropout.hidden = 0.1;
  at::Tensor sum;
  for (uint64_t example = 0; example < 400; ++example) {
    dropout.examples = {example};
    const at::Tensor one = logits(made.decoder, ids, offsets, rows, dropout);
    if (example == 7) {
      EXPECT_EQ(difference(one, logits(made.decoder, ids, offsets, rows, dropout)), 0);
    }
    sum = sum.defined() ? sum + one : one;
  }
  EXPECT_LT(difference(sum / 400, clean), 0.25 * clean.abs().max().item<double>());
  dropout.attention = 0.5;
  dropout.hidden = 0;
  dropout.examples = {1};
  EXPECT_GT(difference(logits(made.decoder, ids, offsets, rows, dropout), clean), 1e-3);
}

TEST(Decoder, OnlyAnEncoderOfBertsShapeHasOne) {
  EXPECT_EQ(no_decoder_because(decoder_shape()), "");
  const auto because = [](const auto& change) {
    Architecture a = decoder_shape();
    change(a);
    return no_decoder_because(a);
  };
  EXPECT_EQ(because([](Architecture& a) { a.rotary_base = 10000; }), "it has rotary positions");
  EXPECT_EQ(because([](Architecture& a) { a.relative_bias = encoder::RelativeBias::kBuckets; }),
            "it has relative positions");
  EXPECT_EQ(because([](Architecture& a) { a.norm_place = encoder::NormPlace::kBefore; }),
            "its norms are not BERT's");
  EXPECT_EQ(because([](Architecture& a) { a.gated = true; }), "its feed-forward blocks are gated");
  EXPECT_EQ(because([](Architecture& a) { a.causal = true; }), "it is a decoder already");
  EXPECT_EQ(because([](Architecture& a) { a.num_hidden_layers = 0; }), "its embeddings are static");
  EXPECT_EQ(because([](Architecture& a) { a.max_position_embeddings = 0; }),
            "it has no learned positions");
}

TEST(Decoder, ItsOwnWeightsAreNamedAsTransformersNamesThem) {
  const Made made;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : made.decoder.named_parameters()) names.push_back(name);
  EXPECT_EQ(names.size(), 2u * 6 + 5);
  EXPECT_EQ(names[0], "layer.0.crossattention.self.value.weight");
  EXPECT_EQ(names[11], "layer.1.crossattention.output.LayerNorm.bias");
  EXPECT_EQ(names[12], "cls.predictions.transform.dense.weight");
}

}  // namespace
}  // namespace contrastive::nn
