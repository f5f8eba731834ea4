// A shard's receipt, `_part-00003-of-00016.json`: written last, it says that the shard is whole,
// what it is of, and what its files hash to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capi/program/shards/shard.h"
#include "capi/program/shards/shard_metadata.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {

struct ShardFile {
  std::string name, sha256;
  int64_t bytes = 0;
};

struct Receipt {
  Json metadata;  // an object of strings
  std::string format;
  int64_t rows = 0;
  std::vector<ShardFile> files;

  // Of files that lie in `folder` under their names.
  static Receipt make(const std::string& folder, const ShardMetadata& metadata,
                      const std::string& format, int64_t rows,
                      const std::vector<std::string>& names);
  // kExitData for what is no receipt of `shard`, kExitFiles.
  static Receipt read(const std::string& folder, const Shard& shard);
  void write(const std::string& folder, const Shard& shard) const;

  // What is wrong with the files that it names: "part-...npy: ...", "" for nothing. Reads them all.
  std::string damage(const std::string& folder) const;
};

std::string receipt_name(const Shard& shard);
bool has_receipt(const std::string& folder, const Shard& shard);
// Durably: files that are written after it are never vouched for by it.
void remove_receipt(const std::string& folder, const Shard& shard);
// All of a folder, by count and index.
std::vector<Shard> shards_with_receipts(const std::string& folder);
// Names of a folder, sorted.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace contrastive::cli
