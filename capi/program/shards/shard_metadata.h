// What the metadata of a shard says: OUTPUT_CONTRACT.md beside this file.
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

// The corpus, as it was found: every byte hashed, every row counted.
struct Survey {
  std::string hash;
  int64_t rows = 0;
};

// Keys without their prefix, with their values, in the contract's order.
using ShardMetadata = std::vector<std::pair<std::string, std::string>>;
constexpr const char* kMetadataPrefix = "contrastive.";

// What decides the embeddings, and which library computed them.
ShardMetadata model_metadata(const cs_model* model, const EmbedArguments& arguments,
                             const Embedder& embedder);
void add_input(ShardMetadata& metadata, const Survey& survey);
// Which texts and ids of the corpus are meant. Shards are compared by it with each other.
void add_reading(ShardMetadata& metadata, const RowOptions& rows);
void add_shard(ShardMetadata& metadata, const Shard& shard);

// The first key of `wanted` which `found` has otherwise, as "key: found 'a', 'b' is needed"; ""
// where there is none. The key `shard` may differ.
std::string metadata_difference(const Json& found, const ShardMetadata& wanted);

}  // namespace contrastive::cli
