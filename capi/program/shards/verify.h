// `contrastive encode --verify`: whether a folder's shards are all there, once and whole, of one
// model and one corpus.
#pragma once

#include "capi/program/encode.h"

namespace contrastive::cli {

// Prints each problem; kExitCheck where there is one.
void verify_shards(const EncodeArguments& arguments, const Common& common);

}  // namespace contrastive::cli
