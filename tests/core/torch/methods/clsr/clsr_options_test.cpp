#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/methods/registry.h"
#include "tests/core/torch/methods/clsr/clsr_tests.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

using ::testing::HasSubstr;

TEST(Clsr, RefusesContradictions) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"clsr.encoder_init": "identity", "clsr.hidden": 10})", "clsr.hidden"},
           {R"({"clsr.encoder_init": "residual", "clsr.activation": "both"})", "clsr.activation"},
           {R"({"clsr.encoder_init": "identity", "clsr.dimension": 10})", "clsr.dimension"},
           {R"({"clsr.loss_on": "v", "clsr.projection": "mlp"})", "clsr.projection"},
           {R"({"clsr.projection": "none", "clsr.projection_dim": 10})", "clsr.projection_dim"},
           {R"({"clsr.encoder_init": "identity", "clsr.eval_vector": "z"})", "clsr.eval_vector"},
           {R"({"clsr.sides": "one", "clsr.reduction": "two-sided"})",
            "'clsr.reduction' is two-sided, but 'clsr.sides' is one"},
           {R"({"clsr.input_norm": "l2"})", "clsr.input_norm"},
           {R"({"clsr.hidden": 0})", "clsr.hidden"}}) {
    SCOPED_TRACE(json);
    expect_error(Status::kArgument, part,
                 [&, json = json] { find_method("clsr").describe(Config::parse(json)); });
  }
}

TEST(Clsr, ThePapersDefaults) {
  const auto method = make("{}");
  EXPECT_EQ(method->dimension(), 768);
  EXPECT_EQ(method->parameters().size(), 6u);  // W1 b1 W2 b2 W3 b3
  EXPECT_FALSE(method->trains_encoder());
  for (const Parameter& p : method->parameters()) EXPECT_EQ(p.decay, p.tensor.dim() == 2) << p.name;
}

TEST(Clsr, APoolingThatIsNotThePapersIsSaid) {
  const auto said = [](const std::string& json, const std::string& pooling) {
    const std::shared_ptr<model::SentenceEncoder> start = tiny_model();
    start->set_pooling({pooling});
    std::string all;
    set_log_sink([&](LogLevel, const std::string& message) { all += message; }, LogLevel::kWarning);
    const auto method = make(json, start);
    set_log_sink({}, LogLevel::kWarning);
    std::string remarks;  // the remarks of the model's card
    for (const std::string& remark : method->remarks()) remarks += remark;
    EXPECT_EQ(remarks, all);
    return all;
  };
  EXPECT_THAT(said("{}", "cls"),
              HasSubstr("pools with cls; the figures of CLSR's paper take the mean"));
  EXPECT_EQ(said("{}", "mean"), "");
  EXPECT_EQ(said(R"({"clsr.base_pooling": "mean"})", "cls"), "");
}

}  // namespace
}  // namespace contrastive::methods
