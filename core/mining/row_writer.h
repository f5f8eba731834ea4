// The output of mining: a line for each triplet, tuple or labelled text, as JSON or separated by
// tabs. The file has its name once everything is in it.
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

// A query with its positives and what was mined for it.
struct MinedQuery {
  std::string anchor;
  std::vector<ScoredText> positives, negatives;
};

class RowWriter {
 public:
  // JSON lines for a name that ends in .jsonl or .ndjson, tab-separated columns with a header for
  // .tsv; kArgument for another one, and for lists of labels in .tsv. kIo, kNoSpace.
  RowWriter(const std::string& path, const MiningOptions& options);

  // As many lines as the format makes of it; kFormat for a text with a tab or a line end in a .tsv
  // file.
  void write(const MinedQuery& query);
  int64_t rows() const { return rows_; }
  // Lines that there would be if every query had as many negatives as were asked for, as
  // mine_hard_negatives counts them.
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
