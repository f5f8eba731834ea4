#include "core/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace contrastive {
namespace {

TEST(Nearest, FindsTypingErrorsAndOnlyThose) {
  const std::vector<std::string> known = {"clsr", "consert", "clear", "sg_opt", "clsr.temperature"};
  EXPECT_EQ(nearest_name("clrs", known), "clsr");
  EXPECT_EQ(nearest_name("ConSERT", known), "consert");
  EXPECT_EQ(nearest_name("temperatur", known), "clsr.temperature");
  EXPECT_EQ(nearest_name("backpropagation", known), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), known), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  const std::vector<std::string> keys = {
      "evaluate.tsne.learning_rate", "lr", "epochs", "mnrl.scale", "mnrl.max_length", "--top-k"};
  EXPECT_EQ(nearest_name("learning_rate", keys), "lr") << "what other libraries call it";
  EXPECT_EQ(nearest_name("num_train_epochs", keys), "epochs");
  EXPECT_EQ(nearest_name("temperature", keys), "mnrl.scale");
  EXPECT_EQ(nearest_name("mnrl.max_seq_length", keys), "mnrl.max_length");
  EXPECT_EQ(nearest_name("--top-n", keys), "--top-k");
  EXPECT_EQ(unknown_name("method", "clrs", {"clsr", "consert"}),
            "unknown method 'clrs'; did you mean 'clsr'? Known: clsr, consert");
  EXPECT_EQ(unknown_name("method", "backpropagation", {"clsr", "consert"}),
            "unknown method 'backpropagation'; known: clsr, consert");
}

}  // namespace
}  // namespace contrastive
