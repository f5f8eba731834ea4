// Keys of a distillation, and the vectors of its teachers.
#pragma once

#include <ATen/ops/empty.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/model/sentence_encoder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {

inline const std::string kModels = fixtures() + "/models/";

inline const std::string kReranker = fixtures() + "/rerankers/bert";

inline std::string keys(const std::string& teacher, const std::string& more = "") {
  return R"({"distill.dropout": false, "distill.teacher": ")" + teacher + '"' +
         (more.empty() ? "" : ", " + more) + "}";
}

inline at::Tensor embedded(const model::SentenceEncoder& model,
                           const std::vector<std::string_view>& texts) {
  at::Tensor out = at::empty({static_cast<int64_t>(texts.size()), model.dimension()}, at::kFloat);
  model.encode(texts, {}, out.mutable_data_ptr<float>());
  return out;
}

}  // namespace contrastive::methods
