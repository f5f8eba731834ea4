// Makes a student from another model, its teacher: some of the teacher's layers, or fewer
// dimensions after its pooling, like sentence-transformers' examples of distillation and
// dimensionality reduction. The result is an ordinary SentenceEncoder; method `distill` trains it
// on the teacher.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/options.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::model {

// The config keys "student.*" of cs_model_create.
struct StudentRecipe {
  static constexpr const char* kPrefix = "student.";

  std::string encoder;          // folder of the teacher; "" to make no student
  std::vector<int64_t> layers;  // one number: how many to keep; several: which ones; empty: all
  int64_t dimension = 0;        // 0 for the teacher's
  std::string texts;  // file with one text per line, whose vectors determine the dimensions to keep
  int64_t most_texts = 20000;

  void visit(OptionVisitor& v);
  void validate() const;  // kArgument for keys that have no effect or need another key
};

// The layers to keep out of `count`, in order: if `wanted` is one number, that many, evenly spaced
// from layer 0 on; otherwise those that it lists. kArgument names the key.
std::vector<int64_t> kept_layers(const std::vector<int64_t>& wanted, int64_t count);

// The teacher's folder with only these layers. Throws kArgument, and kUnsupported if config.json
// cannot express the result.
io::ModelFolder keep_layers(io::ModelFolder folder, const std::vector<int64_t>& kept);

std::shared_ptr<SentenceEncoder> make_student(const StudentRecipe& recipe, const LoadOptions& load,
                                              const Cancel* cancel = nullptr);

}  // namespace contrastive::model
