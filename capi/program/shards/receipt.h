// A shard's receipt, `_part-00003-of-00016.json`. It is written last and marks the shard as
// complete. It contains the shard's metadata and the hashes of its files.
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

  // Makes the receipt of files that are in `folder`.
  static Receipt make(const std::string& folder, const ShardMetadata& metadata,
                      const std::string& format, int64_t rows,
                      const std::vector<std::string>& names);
  // kExitData if the file is not a receipt of `shard`, kExitFiles if it cannot be read.
  static Receipt read(const std::string& folder, const Shard& shard);
  void write(const std::string& folder, const Shard& shard) const;

  // Describes damage of the files that it names, "part-...npy: ...", or "". Reads all of them.
  std::string damage(const std::string& folder) const;
};

std::string receipt_name(const Shard& shard);
bool has_receipt(const std::string& folder, const Shard& shard);
// Removes a receipt durably, so that it never confirms files that are written later.
void remove_receipt(const std::string& folder, const Shard& shard);
// All shards of a folder that have a receipt, sorted by count and index.
std::vector<Shard> shards_with_receipts(const std::string& folder);
// The names of the files in a folder, sorted.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace contrastive::cli
