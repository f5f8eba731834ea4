// Writes and reads the files of one shard. OUTPUT_CONTRACT.md in this folder describes their
// content.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capi/program/shards/shard_metadata.h"

namespace contrastive::cli {

struct ShardRow {
  int64_t number = 0;  // of the row in the corpus
  std::string id;      // if the shard has its own ids; otherwise the number is the id
  std::string text_hash;
  const float* embedding = nullptr;  // when reading: valid until the next row
  int32_t tokens = 0;
  bool truncated = false;
};

class ShardWriter {
 public:
  virtual ~ShardWriter() = default;
  virtual void add(const ShardRow& row) = 0;
  // Syncs the files to the disk and gives them their names. Returns the names, for the receipt.
  virtual std::vector<std::string> commit() = 0;
};

class ShardReader {
 public:
  virtual ~ShardReader() = default;
  // False at the end. A Failure (FORMAT) for content that no writer of shards writes.
  virtual bool next(ShardRow& row) = 0;
};

struct ShardForm {
  std::string format;  // npy, jsonl, arrow, parquet
  int32_t dimension = 0;
  bool own_ids = false;
};

// The names of a shard's files, in all formats.
std::vector<std::string> possible_names(const std::string& stem);

// Fails for arrow and parquet if this installation does not support them, before anything is
// computed.
void need_shard_format(const std::string& format);

// Writes the files `folder`/`stem`.*. They get their names in commit().
std::unique_ptr<ShardWriter> make_shard_writer(const std::string& folder, const std::string& stem,
                                               const ShardForm& form,
                                               const ShardMetadata& metadata);
std::unique_ptr<ShardReader> make_shard_reader(const std::string& folder, const std::string& stem,
                                               const std::string& format, int32_t dimension);

}  // namespace contrastive::cli
