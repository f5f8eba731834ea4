#include "core/torch/methods/tuned_encoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <type_traits>

#include "core/base/error.h"
#include "core/torch/methods/registry.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/torch/methods/loss_terms.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

// Not an aggregate (core/README.md): a failed allocation in its last members would end the process
// (test_allocation_faults resume).
static_assert(!std::is_aggregate_v<TunedParts>);

MethodContext context_of(uint64_t seed = 1) {
  MethodContext context;
  context.start = tiny_model();
  context.seed = seed;
  return context;
}

data::Batch batch_of(int64_t begin, int64_t count, bool callers = false) {
  data::Batch batch;
  const auto data = toy_pairs(begin + count);
  for (int64_t i = begin; i < begin + count; ++i) {
    batch.examples.push_back(data->get(i));
    batch.indices.push_back(callers ? -1 : i);
  }
  if (callers) batch.first_row = begin;
  return batch;
}

at::Tensor first_view(const TunedEncoder& encoder, data::Batch batch, int64_t number = 0) {
  encoder.tokenize_columns(batch);
  return encoder.forward(PackedViews(batch, {{&batch.tokens[0], number}}));
}

// The prompt that encode() puts before every text is also used in training, and takes part in
// pooling in the same way.
TEST(TunedEncoder, TheModelsDefaultPromptStandsBeforeEveryText) {
  for (const bool include : {true, false}) {
    const TemporaryFolder folder;
    const std::string path = folder / "model";
    std::filesystem::copy(fixtures() + "/models/bert_st", path,
                          std::filesystem::copy_options::recursive);
    Json prompts = read_json_file(path + "/config_sentence_transformers.json"),
         pooling = read_json_file(path + "/1_Pooling/config.json");
    prompts["prompts"]["usual"] = "the old red house ";
    prompts["default_prompt_name"] = "usual";
    pooling["include_prompt"] = include;
    folder.write("model/config_sentence_transformers.json", prompts.dump());
    folder.write("model/1_Pooling/config.json", pooling.dump());
    MethodContext context;
    context.start = model::SentenceEncoder::load(path, on_test_device());
    TunedEncoderOptions options;
    options.dropout = false;
    const TunedEncoder encoder(context, options);
    data::Batch batch = batch_of(0, 3);
    encoder.tokenize_columns(batch);
    const at::Tensor trained = encoder.forward(
        PackedViews(batch, {{&batch.tokens[0], 0, {}, {}, encoder.prompt().unpooled}}));
    std::vector<std::string_view> texts;
    for (const data::Example& example : batch.examples) texts.push_back(example.a);
    const at::Tensor embedded = at::empty({3, encoder.dimension()}, at::kFloat);
    encoder.embed_texts(texts, embedded.mutable_data_ptr<float>());
    EXPECT_TRUE(trained.detach().cpu().allclose(embedded, 1e-4, 1e-5)) << include;
    EXPECT_EQ(encoder.prompt().unpooled > 0, !include);
    EXPECT_EQ(encoder.deliver()->folder().default_prompt_name, "usual");
    // The methods that tune the encoder see the same texts, so their loss depends on the prompt.
    for (const auto& [method, json] :
         {std::pair<std::string, std::string>{"sgopt",
                                              R"({"sgopt.dropout": false, "sgopt.head_width": 8})"},
          {"sgopt",
           R"({"sgopt.dropout": false, "sgopt.teacher": "shared", "sgopt.head_width": 8})"},
          {"consert", R"({"consert.view2": "none", "consert.mode": "sup"})"}}) {
      MethodContext own = context;
      own.config = Config::parse(json);
      data::Batch texts_of_it = batch_of(0, 3);
      for (data::Example& example : texts_of_it.examples) example.label = 1;
      const auto made = find_method(method).make(own);
      const double prompted = loss_terms(*made, texts_of_it).total().item<double>();
      own.start = tiny_model();
      if (include) {
        for (data::Example& example : texts_of_it.examples) {
          example.a = "the old red house " + example.a;
          example.b = "the old red house " + example.b;
        }
        EXPECT_NEAR(loss_terms(*find_method(method).make(own), texts_of_it).total().item<double>(),
                    prompted, 1e-4)
            << method;
      } else {
        EXPECT_GT(
            std::fabs(
                loss_terms(*find_method(method).make(own), texts_of_it).total().item<double>() -
                prompted),
            1e-5)
            << method;
      }
    }
  }
}

TEST(TunedEncoder, AModelOfJoinedPoolingsIsToldTheKey) {
  MethodContext context = context_of();
  context.start->set_pooling({"cls", "mean"});
  TunedEncoderOptions options;
  options.prefix = "consert.";
  const std::string message = expect_error(Status::kArgument, "joins 2 poolings (cls+mean)",
                                           [&] { const TunedEncoder encoder(context, options); });
  EXPECT_THAT(message, ::testing::HasSubstr("'consert.pooling'"));
  options.pooling = "mean";
  EXPECT_EQ(TunedEncoder(context, options).deliver()->folder().poolings,
            std::vector<std::string>{"mean"});
}

TEST(TunedEncoder, TrainsACopyAndLeavesTheModelAlone) {
  const MethodContext context = context_of();
  const TunedEncoder encoder(context, {});
  for (const Parameter& p : encoder.parameters())
    EXPECT_TRUE(p.tensor.requires_grad() && p.tensor.is_leaf()) << p.name;
  for (const auto& [name, tensor] : nn::trainable(context.start->encoder()).named_parameters())
    EXPECT_FALSE(tensor.requires_grad()) << name;
  encoder.parameters()[0].tensor.detach().add_(1);
  EXPECT_FALSE(encoder.parameters()[0].tensor.equal(
      nn::trainable(context.start->encoder()).named_parameters()[0].second));
  EXPECT_NE(encoder.deliver()->fingerprint(), context.start->fingerprint());
}

TEST(TunedEncoder, FrozenEmbeddingsAreNoParameters) {
  TunedEncoderOptions options;
  options.freeze_embeddings = true;
  const TunedEncoder frozen(context_of(), options), whole(context_of(), {});
  EXPECT_LT(frozen.parameters().size(), whole.parameters().size());
  for (const Parameter& p : frozen.parameters())
    EXPECT_NE(p.name.rfind("embeddings.", 0), 0u) << p.name;
  // The projection of narrow embeddings is not one of them.
  model::LoadOptions load = on_test_device();
  load.pooling = "mean";
  MethodContext context;
  context.start = model::SentenceEncoder::load(fixtures() + "/families/albert", load);
  const TunedEncoder narrow(context, options);
  std::vector<std::string> embeddings;
  for (const Parameter& p : narrow.parameters()) {
    if (p.name.rfind("embeddings.", 0) == 0) embeddings.push_back(p.name);
  }
  EXPECT_EQ(embeddings, (std::vector<std::string>{"embeddings.projection.weight",
                                                  "embeddings.projection.bias"}));
}

TEST(TunedEncoder, DropoutBelongsToExampleEpochAndView) {
  const TunedEncoder encoder(context_of(), {}), other(context_of(2), {});
  const at::Tensor whole = first_view(encoder, batch_of(0, 6));
  EXPECT_TRUE(whole.equal(first_view(encoder, batch_of(0, 6))));
  EXPECT_FALSE(whole.allclose(first_view(encoder, batch_of(0, 6), 1)));
  EXPECT_FALSE(whole.allclose(first_view(other, batch_of(0, 6))));
  data::Batch later = batch_of(0, 6);
  later.epoch = 1;
  EXPECT_FALSE(whole.allclose(first_view(encoder, later)));
  // The same in parts: by index for a dataset, by position in the update for a caller's batch.
  EXPECT_TRUE(whole.narrow(0, 2, 3).allclose(first_view(encoder, batch_of(2, 3)), 1e-5, 1e-6));
  const at::Tensor callers = first_view(encoder, batch_of(0, 6, true));
  EXPECT_TRUE(
      callers.narrow(0, 2, 3).allclose(first_view(encoder, batch_of(2, 3, true)), 1e-5, 1e-6));
}

TEST(TunedEncoder, WithoutDropoutItIsTheModel) {
  TunedEncoderOptions options;
  options.dropout = false;
  const MethodContext context = context_of();
  const TunedEncoder encoder(context, options);
  const data::Batch batch = batch_of(0, 4);
  std::vector<std::string_view> texts;
  for (const auto& example : batch.examples) texts.push_back(example.a);
  at::Tensor expected = at::empty({4, encoder.dimension()}, at::kFloat);
  encoder.embed_texts(texts, expected.mutable_data_ptr<float>());
  EXPECT_TRUE(first_view(encoder, batch).cpu().allclose(expected, 1e-4, 1e-5));
  EXPECT_TRUE(first_view(encoder, batch, 1).equal(first_view(encoder, batch, 0)));
}

TEST(TunedEncoder, TokenizesColumnsUpToItsLength) {
  TunedEncoderOptions options;
  options.max_length = 4;
  const TunedEncoder encoder(context_of(), options);
  data::Batch pairs = batch_of(0, 3), singles = batch_of(0, 3);
  encoder.tokenize_columns(pairs);
  ASSERT_EQ(pairs.tokens.size(), 2u);
  for (int64_t i = 0; i < 3; ++i) EXPECT_LE(pairs.tokens[1].length(i), 4);
  singles.examples[1].has_b = false;
  encoder.tokenize_columns(singles);
  EXPECT_EQ(singles.tokens.size(), 1u);
  // A method's default length is reduced to the model's limit, but a configured one is not.
  options.max_length = 1000000;
  EXPECT_EQ(TunedEncoder(context_of(), options).max_length(), tiny_model()->shape().max_tokens());
  options.prefix = "simcse.";
  MethodContext asked = context_of();
  asked.config.set_json("simcse.max_length", 1000000);
  expect_error(Status::kArgument, "config key 'simcse.max_length' is 1000000, above",
               [&] { TunedEncoder(asked, options); });
}

TEST(TunedEncoder, ALengthWithoutRoomForTextIsNamed) {
  for (const char* method : {"consert", "mnrl", "sgopt", "simcse", "clear"}) {
    for (const int length : {1, 2}) {
      MethodContext context = context_of();
      context.config = Config::parse(cat("{\"", method, ".max_length\": ", length, "}"));
      const std::string part = cat("config key '", method, ".max_length' is ", length,
                                   ", which leaves no room for text");
      expect_error(Status::kArgument, part, [&] { find_method(method).make(context); });
    }
  }
}

TEST(TunedEncoder, EveryTextOfABatchHasAStreamOfItsOwn) {
  data::Batch batch = batch_of(0, 4);
  const TunedEncoder encoder(context_of(), {});
  encoder.tokenize_columns(batch);
  const PackedViews views(batch,
                          {{&batch.tokens[0], 0}, {&batch.tokens[1], 1}, {&batch.tokens[0], 2}});
  EXPECT_EQ(std::set<uint64_t>(views.streams().begin(), views.streams().end()).size(), 12u);
  EXPECT_EQ(views.first_text(2), 8);
  EXPECT_EQ(views.texts(1), 4);
}

TEST(TunedEncoder, CheckpointingIsPassedOn) {
  MethodContext context = context_of();
  const TunedEncoder plain(context, {});
  context.gradient_checkpointing = true;
  const TunedEncoder checkpointed(context, {});
  const auto gradients = [](const TunedEncoder& encoder) {
    first_view(encoder, batch_of(0, 4)).square().sum().backward();
    std::vector<at::Tensor> result;
    for (const Parameter& p : encoder.parameters()) {
      if (p.tensor.grad().defined()) result.push_back(p.tensor.grad());
    }
    return result;
  };
  const auto a = gradients(plain), b = gradients(checkpointed);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 5u);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].equal(b[i])) << i;
}

}  // namespace
}  // namespace contrastive::methods
