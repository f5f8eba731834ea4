// Training examples: from a file (text one a line, TSV pairs with an optional third column, JSONL) or added by the caller one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/config.h"
#include "core/data/example.h"

namespace contrastive::data {

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  virtual Example get(int64_t index) const = 0;   // any thread
  virtual void add(Example example) = 0;          // kState for a dataset that was opened from a file
  virtual std::string fingerprint() const = 0;    // length and hash: what resume compares
};

std::shared_ptr<Dataset> make_dataset();
// kNotFound, kIo, kFormat with file and line. Keys: data.format (auto, text, tsv, jsonl), data.columns, data.empty (skip, keep, error), ...
std::shared_ptr<Dataset> open_dataset(const std::string& path, const Config& config);

}  // namespace contrastive::data
