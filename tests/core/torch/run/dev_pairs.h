// A dev file of toy pairs.
#pragma once

#include <sstream>
#include <string>

#include "tests/core/torch/run/toy.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {

inline std::string dev_pairs(const TemporaryFolder& folder, int64_t n = 30) {
  std::ostringstream lines;
  const auto pairs = toy_pairs(n);
  for (int64_t i = 0; i < n; ++i) lines << pairs->get(i).a << "\t" << pairs->get(i).b << "\n";
  return folder.write("dev.tsv", lines.str());
}

}  // namespace contrastive::run
