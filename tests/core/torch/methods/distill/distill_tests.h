// Keys of a distillation, and its teachers.
#pragma once

#include <string>

#include "tests/fixtures_folder.h"

namespace contrastive::methods {

inline const std::string kModels = fixtures() + "/models/";

inline const std::string kReranker = fixtures() + "/rerankers/bert";

inline std::string keys(const std::string& teacher, const std::string& more = "") {
  return R"({"distill.dropout": false, "distill.teacher": ")" + teacher + '"' +
         (more.empty() ? "" : ", " + more) + "}";
}

}  // namespace contrastive::methods
