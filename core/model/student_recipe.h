// A student out of another model, its teacher: some of the teacher's layers, or fewer dimensions
// behind its pooling, as sentence-transformers' examples of distillation and dimensionality
// reduction make them. What comes out is a SentenceEncoder like any other; method `distill` trains
// it on the teacher.
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

  std::string encoder;          // folder of the teacher; "" = no student is made
  std::vector<int64_t> layers;  // one number: how many are kept; several: which; empty: all
  int64_t dimension = 0;        // 0 = the teacher's
  std::string texts;  // file, a text a line, whose vectors decide the dimensions that are kept
  int64_t most_texts = 20000;

  void visit(OptionVisitor& v);
  void validate() const;  // kArgument for keys that say nothing, or lack another
};

// The numbers of the layers that are kept of `count`, in order: `wanted` evenly spaced from layer 0
// on where it is one number, else those that it lists. kArgument names the key.
std::vector<int64_t> kept_layers(const std::vector<int64_t>& wanted, int64_t count);

// The teacher's folder with these layers alone. kArgument, kUnsupported where config.json cannot
// say so.
io::ModelFolder keep_layers(io::ModelFolder folder, const std::vector<int64_t>& kept);

std::shared_ptr<SentenceEncoder> make_student(const StudentRecipe& recipe, const LoadOptions& load,
                                              const Cancel* cancel = nullptr);

}  // namespace contrastive::model
