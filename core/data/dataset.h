// Datasets of training examples: read from a file (one text per line, TSV, JSONL), or added by the
// caller one by one. record_parser.h defines the meaning of a line, data_options.h the config keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/config.h"
#include "core/data/example.h"

namespace contrastive::data {

// How many lines of a file were left out or need attention, and why.
struct DatasetReport {
  int64_t lines = 0;  // in the file, including a last line without a line end
  int64_t empty = 0;  // a text of the example is empty: left out, or kept if data.empty says so
  int64_t empty_kept = 0;  // the kept ones among these
  int64_t malformed = 0;   // left out under data.on_error = skip
  int64_t elsewhere = 0;   // left out by data.where
  int64_t filtered = 0;    // left out by data.min_label and data.max_label
  int64_t invalid_utf8 =
      0;  // kept, or left out by data.where; the tokenizer reads each bad sequence as U+FFFD

  int64_t empty_left_out() const { return empty - empty_kept; }
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  // Any number of threads may call this while no thread adds examples. Throws kArgument outside [0,
  // size), and kCorrupt if the file has changed since it was opened.
  virtual Example get(int64_t index) const = 0;
  virtual void add(Example example) = 0;  // throws kState for a dataset that was opened from a file
  // The number of examples and a hash over all of them as they are read. A resumed run compares it.
  // A file and the same examples in memory have the same fingerprint.
  virtual std::string fingerprint() const = 0;
  virtual void check_unchanged() const {
  }  // throws kCorrupt if the file changed since it was opened; cheap, called once per epoch
  virtual const DatasetReport& report() const = 0;
  virtual std::string path() const {
    return "";
  }  // of the file that the examples come from; "" without a file
  // The datasets that this one joins (joined_dataset.h), in the order of their examples; otherwise
  // itself.
  virtual std::vector<const Dataset*> parts() const { return {this}; }
  // Where example `index` comes from, for error messages: "pairs.tsv:12", or "example 12" if no
  // file is known. Slow.
  virtual std::string where(int64_t index) const { return "example " + std::to_string(index); }
};

// An empty dataset in memory, to be filled with add().
std::shared_ptr<Dataset> make_dataset();
// Reads the file once to check and index it (8 bytes per line stay in memory), and afterwards
// single lines on demand, so the file may be larger than memory. Throws kNotFound, kIo, kArgument
// (not a regular file, contradictory keys), and kFormat and kLimit with file and line.
std::shared_ptr<Dataset> open_dataset(const std::string& path, const Config& config);

}  // namespace contrastive::data
