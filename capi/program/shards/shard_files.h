// The files of one shard: their rows, how they are written and how they are read back.
// OUTPUT_CONTRACT.md beside this file says what they hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capi/program/shards/shard_metadata.h"

namespace contrastive::cli {

struct ShardRow {
  int64_t number = 0;  // of the row in the corpus
  std::string id;      // of a shard with ids of its own; else the number is the id
  std::string text_hash;
  const float* embedding = nullptr;  // read rows: valid until the next one
  int32_t tokens = 0;
  bool truncated = false;
};

class ShardWriter {
 public:
  virtual ~ShardWriter() = default;
  virtual void add(const ShardRow& row) = 0;
  // Everything is on the disk under its own name: the names, for the receipt.
  virtual std::vector<std::string> commit() = 0;
};

class ShardReader {
 public:
  virtual ~ShardReader() = default;
  // False at the end. A Failure (FORMAT) for what no writer of shards writes.
  virtual bool next(ShardRow& row) = 0;
};

struct ShardForm {
  std::string format;  // npy, jsonl, arrow, parquet
  int32_t dimension = 0;
  bool own_ids = false;
};

// What the files of a shard are called, in whichever form.
std::vector<std::string> possible_names(const std::string& stem);

// kExitUsage for arrow and parquet where this installation has none, with the reason: before
// anything is computed.
void need_shard_format(const std::string& format);

// Files `folder`/`stem`.*; nothing has its name before commit().
std::unique_ptr<ShardWriter> make_shard_writer(const std::string& folder, const std::string& stem,
                                               const ShardForm& form,
                                               const ShardMetadata& metadata);
std::unique_ptr<ShardReader> make_shard_reader(const std::string& folder, const std::string& stem,
                                               const std::string& format, int32_t dimension);

}  // namespace contrastive::cli
