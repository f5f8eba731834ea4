// Writes the output of mining: a line for each triplet, tuple or labelled text, as JSON or
// tab-separated. The file gets its name when it is complete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/temporary.h"
#include "core/mining/mining_options.h"

namespace contrastive::mining {

struct ScoredText {
  std::string text;
  float score;
};

// A query with its positives and its mined negatives.
struct MinedQuery {
  std::string anchor;
  std::vector<ScoredText> positives, negatives;
};

class RowWriter {
 public:
  // JSON lines for a name that ends in .jsonl or .ndjson, tab-separated columns with a header for
  // .tsv; kArgument for any other name, and for lists of labels in .tsv. kIo, kNoSpace.
  RowWriter(const std::string& path, const MiningOptions& options);

  // Writes as many lines as the format needs; kFormat for a text with a tab or a line end in a .tsv
  // file.
  void write(const MinedQuery& query);
  int64_t rows() const { return rows_; }
  // The number of lines if every query had the requested number of negatives, counted as in
  // mine_hard_negatives.
  int64_t possible_rows(int64_t queries, int64_t distinct_pairs, int64_t pairs) const;
  void commit();

 private:
  void triplets(const MinedQuery& query, const ScoredText& positive);
  void tuple(const MinedQuery& query, const ScoredText& positive);
  void labelled(const MinedQuery& query, const ScoredText& text, int label);
  void labelled_list(const MinedQuery& query, const ScoredText& positive);
  void line(const Json& row);
  void put(const std::string& bytes);

  std::string path_;
  OutputFormat format_;
  int64_t num_negatives_;
  bool scores_, tabs_;
  int64_t rows_ = 0;
  std::string buffer_;
  TemporaryFile file_;
};

}  // namespace contrastive::mining
