// `contrastive encode --shard`: one part of a corpus into a folder that holds all of them.
#pragma once

#include "capi/program/encode.h"
#include "capi/program/shards/shard_metadata.h"

namespace contrastive::cli {

// Leaves a shard alone that is there and whole, and says so. kExitData where the folder holds
// shards of another model or corpus, and where the corpus changes while it is read; kExitFailure
// (BUSY) where another process writes the same shard.
void encode_shard(const EncodeArguments& arguments, const Common& common);

// Reads the whole input once: its hash and its rows.
Survey survey_input(const std::string& input, const RowOptions& rows);
// `arguments.rows` with the column of ids.
RowOptions rows_with_ids(const EncodeArguments& arguments);

}  // namespace contrastive::cli
