// A dev file of toy pairs.
#pragma once

#include <sstream>
#include <string>

#include "tests/core/torch/run/toy.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {

inline std::string dev_pairs(const TemporaryFolder& folder) {
  std::ostringstream lines;
  const auto pairs = toy_pairs(30);
  for (int64_t i = 0; i < 30; ++i) lines << pairs->get(i).a << "\t" << pairs->get(i).b << "\n";
  return folder.write("dev.tsv", lines.str());
}

}  // namespace contrastive::run
