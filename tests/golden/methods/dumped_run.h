// A run whose start and randomness a dump program prints for a plain PyTorch program. Shared by
// clear_runs.h and consert_runs.h.
#pragma once

#include <ostream>
#include <string>

#include "core/base/config.h"
#include "core/base/rng.h"

namespace contrastive::golden {

struct Run {
  const char* name;
  const char* model;   // in tests/fixtures/models
  const char* config;  // in addition to kEveryRun
};

inline void PrintTo(const Run& run, std::ostream* out) { *out << run.name; }  // for test messages

constexpr int64_t kUpdates = 20;
constexpr int64_t kBatchSize = 6;

inline Config merged(const char* every_run, const Run& run) {
  Config config = Config::parse(every_run);
  config.merge(Config::parse(run.config));
  return config;
}

// `words` words of the models' vocabulary.
inline std::string text(Rng& rng, uint64_t words) {
  static const char* const kWords[] = {"the",   "cat", "dog", "bird", "house", "old",   "new",
                                       "small", "red", "sat", "runs", "on",    "water", "tree"};
  std::string text;
  for (uint64_t i = 0; i < words; ++i)
    text += std::string(i == 0 ? "" : " ") + kWords[rng.below(std::size(kWords))];
  return text;
}

}  // namespace contrastive::golden
