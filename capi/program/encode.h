// The command line of `contrastive encode`.
#pragma once

#include <string>

#include "capi/program/embed.h"
#include "capi/program/encode_rows.h"
#include "capi/program/rows.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

struct EncodeArguments {
  ModelArguments model;
  EmbedArguments embed;
  RowOptions rows;
  ColumnArguments column;
  std::string input, output, output_format = "auto";
  std::string shard, id_column, verify, sample;
  bool force = false, strict_rows = false;
};

// Prints the summary on stderr and, with --json, the document on stdout.
void report_encoded(const EncodeArguments& arguments, const Common& common,
                    const Embedder& embedder, const EncodeTotals& totals, int64_t skipped,
                    double seconds);

}  // namespace contrastive::cli
