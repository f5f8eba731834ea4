// Helpers of the tests of this folder: the tiny models, the golden file, sets of examples and a
// small task in a folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/torch/tasks/glue/glue_files.h"
#include "core/model/sentence_encoder.h"
#include "tests/core/eval/files.h"
#include "tests/test_device.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {

inline std::shared_ptr<model::SentenceEncoder> glue_model(const std::string& name = "bert_st") {
  model::LoadOptions options;
  if (name == "roberta_hf" || name == "bert_gamma") options.pooling = "mean";
  return model::SentenceEncoder::load(fixtures() + "/models/" + name, on_test_device(options));
}

inline const Json& glue_golden() { return fixture("glue_golden.json"); }

// A batch of the golden file: classes below `outputs`, or its scores if there is one output.
inline GlueSet golden_set(const Json& batch, bool pairs, int64_t outputs) {
  GlueSet set;
  set.first = batch.at("a").get<std::vector<std::string>>();
  if (pairs) set.second = batch.at("b").get<std::vector<std::string>>();
  for (size_t i = 0; i < set.first.size(); ++i) {
    const int64_t label = batch.at("labels").at(i).get<int64_t>() % outputs;
    set.targets.push_back(outputs == 1 ? batch.at("scores").at(i).get<double>()
                                       : static_cast<double>(label));
  }
  return set;
}

// Lines of a learnable task: label "1" if the sentence contains "cat".
inline std::string cat_lines(int64_t count, int64_t first = 0) {
  const char* others[] = {"dog", "bird", "house", "tree", "mat"};
  std::string lines;
  for (int64_t i = first; i < first + count; ++i) {
    const std::string other = others[i % 5], one = i % 2 == 0 ? "cat" : others[(i / 2 + 2) % 5];
    lines += std::to_string(i % 2 == 0 ? 1 : 0) + "\tthe " +
             (i % 3 == 0 ? one + " and the " + other : other + " and the " + one) + "\n";
  }
  return lines;
}

}  // namespace contrastive::eval
