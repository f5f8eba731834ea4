// `contrastive encode --shard`: embeds one shard of a corpus into a folder with all shards.
#pragma once

#include "capi/program/encode.h"
#include "capi/program/shards/shard_metadata.h"

namespace contrastive::cli {

// If the shard is already complete, leaves it alone and says so. kExitData if the folder contains
// shards of another model or corpus, or if the corpus changes while it is read. kExitFailure (BUSY)
// if another process writes the same shard.
void encode_shard(const EncodeArguments& arguments, const Common& common);

// Reads the whole input once to compute its hash and count its rows.
Survey survey_input(const std::string& input, const RowOptions& rows);
// `arguments.rows` with the column of ids.
RowOptions rows_with_ids(const EncodeArguments& arguments);

}  // namespace contrastive::cli
