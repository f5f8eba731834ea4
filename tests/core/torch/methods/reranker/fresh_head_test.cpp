#include "core/torch/methods/reranker/fresh_head.h"

#include <ATen/TensorOperators.h>

#include "core/model/cross_encoder.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/temporary_folder.h"

namespace contrastive::methods {
namespace {

TEST(Reranker, ASentenceEncoderGetsASeededHead) {
  const auto fresh = [](uint64_t seed) {
    MethodContext context;
    context.start = tiny_model();
    context.config = Config::parse(R"({"reranker.labels": 1})");
    context.seed = seed;
    find_method("reranker").describe(context.config);
    return find_method("reranker").make(context)->result({});
  };
  const auto one = fresh(1);
  EXPECT_EQ(one->fingerprint(), fresh(1)->fingerprint());
  EXPECT_NE(one->fingerprint(), fresh(2)->fingerprint());
  const auto reranker = model::cross_encoder(one);
  ASSERT_NE(reranker, nullptr);
  EXPECT_EQ(reranker->labels(), std::vector<std::string>{"LABEL_0"});
  const TemporaryFolder folder;
  reranker->save(folder / "reranker");
  EXPECT_EQ(model::CrossEncoder::load(folder / "reranker")->fingerprint(), one->fingerprint());
}

}  // namespace
}  // namespace contrastive::methods
