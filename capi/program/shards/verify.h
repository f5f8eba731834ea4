// `contrastive encode --verify`: checks that a folder has all shards, each once and complete, and
// that all are of one model and one corpus.
#pragma once

#include "capi/program/encode.h"

namespace contrastive::cli {

// Prints each problem. kExitCheck if there is one.
void verify_shards(const EncodeArguments& arguments, const Common& common);

}  // namespace contrastive::cli
