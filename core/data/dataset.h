// Training examples: from a file (text one a line, TSV, JSONL) or added by the caller one by one.
// What a line means is said in record_parser.h, the config keys in data_options.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/config.h"
#include "core/data/example.h"

namespace contrastive::data {

// How many lines of a file were left out or looked at twice, and why.
struct DatasetReport {
  int64_t lines = 0;  // of the file, the last one without a line end included
  int64_t empty = 0;  // left out, or kept where data.empty says so: a text of the example is empty
  int64_t empty_kept = 0;  // of these
  int64_t malformed = 0;   // left out under data.on_error = skip
  int64_t elsewhere = 0;   // left out by data.where
  int64_t filtered = 0;    // left out by data.min_label and data.max_label
  int64_t invalid_utf8 =
      0;  // kept, or left out by data.where: the tokenizer reads each bad sequence as U+FFFD

  int64_t empty_left_out() const { return empty - empty_kept; }
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  // Any number of threads, while nobody adds. kArgument outside [0, size), kCorrupt when the file
  // is no longer what was opened.
  virtual Example get(int64_t index) const = 0;
  virtual void add(Example example) = 0;  // kState for a dataset that was opened from a file
  // Their number, and a hash over all examples as they are read: what a resumed run compares. A
  // file and the same examples in memory have the same.
  virtual std::string fingerprint() const = 0;
  virtual void check_unchanged() const {
  }  // kCorrupt when the file changed since it was opened; cheap, once an epoch
  virtual const DatasetReport& report() const = 0;
  virtual std::string path() const {
    return "";
  }  // of the file that the examples come from; "" where there is none
  // The datasets that it joins (joined_dataset.h), in the order of their examples; else itself.
  virtual std::vector<const Dataset*> parts() const { return {this}; }
  // Where example `index` comes from, for messages: "pairs.tsv:12", or "example 12" where no file
  // is known. Slow: made for errors.
  virtual std::string where(int64_t index) const { return "example " + std::to_string(index); }
};

// Empty, in memory, to be filled with add().
std::shared_ptr<Dataset> make_dataset();
// Reads the file once to check and index it (8 bytes a line stay in memory), and lines on demand
// after that: it may be larger than memory. kNotFound, kIo, kArgument (not a regular file,
// contradictory keys), kFormat and kLimit with file and line.
std::shared_ptr<Dataset> open_dataset(const std::string& path, const Config& config);

}  // namespace contrastive::data
