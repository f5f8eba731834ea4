// Chooses the texts of a t-SNE plane, and writes the table of their positions
// (core/eval/geometry/README.md 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/eval/geometry/tsne.h"
#include "core/eval/sts/sts_split.h"

namespace contrastive::eval {

struct TsnePoint {
  int64_t number =
      0;  // from 1: of the pair among the scored pairs of its data, or of the line in its file
  const char* side = "";  // "a" or "b" of a pair; "" for a single text
  double gold = 0;        // a pair's score
  std::string label;      // label of a text, empty if the file has none
  std::string text;
};

struct TsnePoints {
  bool pairs = false;  // sides of pairs, or single texts
  std::vector<TsnePoint> points;

  // {"points": [{"pair", "side", "gold", "x", "y"} or {"row", "label", "x", "y"}, ...], "kl",
  // "perplexity"}
  Json to_json(const TsneResult& places) const;
  // The same points as lines: pair TAB side TAB gold TAB x TAB y, or row TAB label TAB x TAB y. No
  // header.
  std::string to_tsv(const TsneResult& places) const;
};

// Both sides of `pairs` pairs with the score `high`, and of as many with the score `low`, drawn by
// `seed` and in the order of the data (read_sts). If there are fewer, all of them, with a warning.
// kNotFound if no pair has these scores.
TsnePoints choose_pairs(const std::string& data, StsSplit split, double high, double low,
                        int64_t pairs, int64_t seed);

// Reads a file with a text on each line, or with "label TAB text" on each line. All lines must have
// the form of the first one (kFormat with file and line). An empty line is an empty text. A gzip
// file is unpacked. If `most` is not 0 and the file has more lines, `most` of them are drawn by
// `seed` and kept in the order of the file. kLimit above kMaxTsnePoints lines.
TsnePoints read_points(const std::string& path, int64_t most = 0, int64_t seed = 0);

}  // namespace contrastive::eval
