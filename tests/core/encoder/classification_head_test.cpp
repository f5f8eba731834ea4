#include "core/encoder/classification_head.h"

#include <gtest/gtest.h>

#include <string>

namespace contrastive::encoder {
namespace {

std::string shapes_of(const ClassificationHead& head) {
  Architecture a;
  a.hidden_size = 8;
  std::string text;
  for (const auto& [name, shape] : classification_head_shapes(a, head, 3)) {
    text += name.substr(std::string("classifier.").size());
    for (const int64_t size : shape) text += " " + std::to_string(size);
    text += "\n";
  }
  return text;
}

TEST(ClassificationHead, HasTheTensorsOfItsParts) {
  ClassificationHead head;
  EXPECT_EQ(shapes_of(head), "out_proj.weight 3 8\nout_proj.bias 3\n");
  head.activation = "tanh";
  head.norm = true;
  EXPECT_EQ(shapes_of(head),
            "dense.weight 8 8\ndense.bias 8\nLayerNorm.weight 8\nLayerNorm.bias 8\n"
            "out_proj.weight 3 8\nout_proj.bias 3\n");
  head.dense_bias = head.norm_bias = false;
  EXPECT_EQ(shapes_of(head),
            "dense.weight 8 8\nLayerNorm.weight 8\nout_proj.weight 3 8\nout_proj.bias 3\n");
}

}  // namespace
}  // namespace contrastive::encoder
