// Which texts a t-SNE plane shows, and the table of places that it gives
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
  const char* side = "";  // "a" or "b" of a pair; "" for a text of its own
  double gold = 0;        // a pair's score
  std::string label;      // a text's, empty where the file has none
  std::string text;
};

struct TsnePoints {
  bool pairs = false;  // sides of pairs, or texts of their own
  std::vector<TsnePoint> points;

  // {"points": [{"pair", "side", "gold", "x", "y"} or {"row", "label", "x", "y"}, ...], "kl",
  // "perplexity"}
  Json to_json(const TsneResult& places) const;
  // The same points as lines: pair TAB side TAB gold TAB x TAB y, or row TAB label TAB x TAB y. No
  // header.
  std::string to_tsv(const TsneResult& places) const;
};

// Both sides of `pairs` pairs that are scored exactly `high`, and of as many scored `low`, drawn by
// `seed` and in the order of the data (read_sts); all of them, with a warning, where there are
// fewer. kNotFound where there is none.
TsnePoints choose_pairs(const std::string& data, StsSplit split, double high, double low,
                        int64_t pairs, int64_t seed);

// A file with a text on each line, or with "label TAB text" on each line: what its first line has,
// all must have (kFormat with file and line). An empty line is an empty text. A gzip file is
// unpacked. Where `most` is not 0 and the file has more lines, so many of them, drawn by `seed` and
// in the order of the file. kLimit above kMaxTsnePoints lines.
TsnePoints read_points(const std::string& path, int64_t most = 0, int64_t seed = 0);

}  // namespace contrastive::eval
