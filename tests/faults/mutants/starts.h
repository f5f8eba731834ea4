// What is damaged: a folder of each kind that the library reads, fixtures and what it writes
// itself.
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

// A group is drawn first, then a folder of it: twenty families do not crowd out one run.
using Starts = std::vector<std::vector<Start>>;

// Writes below `place`: runs, a table of static embeddings, an adapter, a folder with pickled
// weights. False: not all could be made, and the reason stands on stderr. It trains: in a process
// of its own.
bool write_starts(const std::string& fixtures, const std::string& place);
// These, and the fixtures.
Starts find_starts(const std::string& fixtures, const std::string& place);

}  // namespace contrastive::faults
