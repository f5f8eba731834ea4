// The metadata of a shard. OUTPUT_CONTRACT.md in this folder describes it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capi/program/embed.h"
#include "capi/program/handle.h"
#include "capi/program/rows.h"
#include "capi/program/shards/shard.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {

// The hash of the corpus and its number of rows.
struct Survey {
  std::string hash;
  int64_t rows = 0;
};

// Keys without their prefix, and their values, in the order of the contract.
using ShardMetadata = std::vector<std::pair<std::string, std::string>>;
constexpr const char* kMetadataPrefix = "contrastive.";

// The metadata that determine the embeddings, and the version of the library.
ShardMetadata model_metadata(const cs_model* model, const EmbedArguments& arguments,
                             const Embedder& embedder);
void add_input(ShardMetadata& metadata, const Survey& survey);
// Adds which texts and ids of the corpus are used. All shards of a folder must agree on it.
void add_reading(ShardMetadata& metadata, const RowOptions& rows);
void add_shard(ShardMetadata& metadata, const Shard& shard);

// The first key whose value differs between `found` and `wanted`, as "key: found 'a', 'b' is
// needed", or "". The key `shard` may differ.
std::string metadata_difference(const Json& found, const ShardMetadata& wanted);

}  // namespace contrastive::cli
