// The frozen encoder's views: the fast path against the differentiable one.
#include "core/torch/methods/sg_opt/layer_views.h"

#include <ATen/TensorOperators.h>

#include "tests/core/torch/methods/method_tests.h"

namespace contrastive::methods {
namespace {

class LayerViewsTest : public ::testing::Test {
 protected:
  LayerViewsTest() {
    MethodContext context;
    context.start = start_;
    encoder_ = std::make_unique<TunedEncoder>(context, TunedEncoderOptions());
    batch_ = some_texts();
    encoder_->tokenize_columns(batch_);
  }
  PackedViews packed(int64_t number = 0) const {
    return PackedViews(batch_, {{&batch_.tokens[0], number}});
  }

  std::shared_ptr<model::SentenceEncoder> start_ = tiny_model();
  std::unique_ptr<TunedEncoder> encoder_;
  data::Batch batch_;
};

TEST_F(LayerViewsTest, TheFastPathEqualsTheDifferentiableOne) {
  const PackedViews texts = packed();
  const auto states = encoder_->run_layers(encoder_->embed(texts, false), texts, false);
  for (const char* pooling : {"max", "mean", "cls"}) {
    const LayerViews all(start_, pooling, 0, 2), upper(start_, pooling, 1, 2);
    const at::Tensor fast = all(texts);
    EXPECT_EQ(fast.sizes(), at::IntArrayRef({4, 3, 32}));
    EXPECT_FALSE(fast.requires_grad());
    EXPECT_TRUE(fast.allclose(all.pool(states, texts), 1e-4, 1e-5)) << pooling;
    EXPECT_TRUE(upper(texts).equal(fast.narrow(1, 1, 2))) << pooling;
  }
}

TEST_F(LayerViewsTest, DropoutFollowsTheStreamsOfTheViews) {
  const LayerViews views(start_, "mean", 0, 2);
  const at::Tensor one = views.with_dropout(packed(2), 1);
  EXPECT_FALSE(one.requires_grad());
  EXPECT_TRUE(one.equal(views.with_dropout(packed(2), 1)));
  EXPECT_FALSE(one.allclose(views.with_dropout(packed(3), 1), 1e-3, 1e-3));
  EXPECT_FALSE(one.allclose(views.with_dropout(packed(2), 9), 1e-3, 1e-3));
  EXPECT_FALSE(one.allclose(views(packed(2)), 1e-3, 1e-3));
}

}  // namespace
}  // namespace contrastive::methods
