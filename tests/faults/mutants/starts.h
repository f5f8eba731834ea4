// The folders to damage: one of each kind that the library reads, from the fixtures or written by
// the library.
#pragma once

#include <string>
#include <vector>

namespace contrastive::faults {

enum class Kind { kModel, kRun, kAdapter, kReranker };

struct Start {
  Kind kind;
  std::string path;
  std::string json;  // keys of cs_model_load without their braces, such as `"pooling": "mean"`
};

// A group is drawn first, then a folder of it, so that twenty families do not crowd out the one
// run.
using Starts = std::vector<std::vector<Start>>;

// Writes below `place`: runs, a table of static embeddings, an adapter, a folder with pickled
// weights. Returns false, after printing why on stderr, if one failed. Trains in a separate
// process.
bool write_starts(const std::string& fixtures, const std::string& place);
// These, and the fixtures.
Starts find_starts(const std::string& fixtures, const std::string& place);

}  // namespace contrastive::faults
