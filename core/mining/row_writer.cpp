#include "core/mining/row_writer.h"

#include <charconv>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace contrastive::mining {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

bool is_tab_separated(const std::string& path, OutputFormat format) {
  const bool tabs = ends_with(path, ".tsv"),
             json = ends_with(path, ".jsonl") || ends_with(path, ".ndjson");
  check(tabs || json, Status::kArgument, path,
        ": the output's name must end in .jsonl, .ndjson or .tsv, which sets its form");
  check(
      !tabs || format != OutputFormat::kLabeledList, Status::kArgument, path,
      ": output_format = labeled-list writes lists, which need JSON lines: name the output .jsonl");
  return tabs;
}

// The shortest decimal number that reads back as the same float.
std::string shortest(float value) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

Json number(float score) { return Json::parse(shortest(score)); }

}  // namespace

RowWriter::RowWriter(const std::string& path, const MiningOptions& options)
    : path_(path), format_(options.format), num_negatives_(options.num_negatives),
      scores_(options.output_scores), tabs_(is_tab_separated(path, options.format)), file_(path) {}

int64_t RowWriter::possible_rows(int64_t queries, int64_t distinct_pairs, int64_t pairs) const {
  switch (format_) {
    case OutputFormat::kTriplet: return distinct_pairs * num_negatives_;
    case OutputFormat::kLabeledPair: return queries * num_negatives_ + pairs;
    case OutputFormat::kTuple:
    case OutputFormat::kLabeledList: return distinct_pairs;
  }
  fail(Status::kInternal, "an unknown output format");
}

void RowWriter::write(const MinedQuery& query) {
  for (const ScoredText& positive : query.positives) {
    switch (format_) {
      case OutputFormat::kTriplet: triplets(query, positive); break;
      case OutputFormat::kTuple: tuple(query, positive); break;
      case OutputFormat::kLabeledPair: labelled(query, positive, 1); break;
      case OutputFormat::kLabeledList: labelled_list(query, positive); break;
    }
  }
  if (format_ != OutputFormat::kLabeledPair) return;
  for (const ScoredText& negative : query.negatives) labelled(query, negative, 0);
}

void RowWriter::triplets(const MinedQuery& query, const ScoredText& positive) {
  for (const ScoredText& negative : query.negatives) {
    Json row = {{"anchor", query.anchor}, {"positive", positive.text}, {"negative", negative.text}};
    if (scores_) row["scores"] = {number(positive.score), number(negative.score)};
    line(row);
  }
}

void RowWriter::tuple(const MinedQuery& query, const ScoredText& positive) {
  if (static_cast<int64_t>(query.negatives.size()) < num_negatives_) return;
  Json row = {{"anchor", query.anchor}, {"positive", positive.text}},
       scores = Json::array({number(positive.score)});
  for (size_t i = 0; i < query.negatives.size(); ++i) {
    row[cat("negative_", i + 1)] = query.negatives[i].text;
    scores.push_back(number(query.negatives[i].score));
  }
  if (scores_) row["scores"] = scores;
  line(row);
}

void RowWriter::labelled(const MinedQuery& query, const ScoredText& text, int label) {
  Json row = {{"sentence1", query.anchor}, {"sentence2", text.text}};
  if (scores_) row["score"] = number(text.score);
  else row["label"] = label;
  line(row);
}

void RowWriter::labelled_list(const MinedQuery& query, const ScoredText& positive) {
  if (query.negatives.empty()) return;
  Json texts = Json::array({positive.text}), labels = Json::array({1}),
       scores = Json::array({number(positive.score)});
  for (const ScoredText& negative : query.negatives) {
    texts.push_back(negative.text);
    labels.push_back(0);
    scores.push_back(number(negative.score));
  }
  Json row = {{"anchor", query.anchor}, {"documents", texts}};
  row[scores_ ? "scores" : "labels"] = scores_ ? scores : labels;
  line(row);
}

void RowWriter::line(const Json& row) {
  if (!tabs_) {
    put(row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    ++rows_;
    return;
  }
  std::string titles, cells;
  const auto add = [&](const std::string& title, const std::string& cell) {
    titles += (titles.empty() ? "" : "\t") + title;
    cells += (cells.empty() ? "" : "\t") + cell;
  };
  for (const auto& [title, value] : row.items()) {
    if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i)
        add(i == 0              ? "score_positive"
            : value.size() == 2 ? "score_negative"
                                : cat("score_", i),
            value[i].dump());
      continue;
    }
    const std::string cell = value.is_string() ? value.get<std::string>() : value.dump();
    check(cell.find_first_of("\t\n\r") == std::string::npos, Status::kFormat, path_, ": the text '",
          cell.substr(0, 40),
          "...' has a tab or a line end, which a .tsv file cannot hold: name the output .jsonl");
    add(title, cell);
  }
  if (rows_ == 0) put(titles + "\n");
  put(cells + "\n");
  ++rows_;
}

void RowWriter::put(const std::string& bytes) {
  buffer_ += bytes;
  if (buffer_.size() < kBufferBytes) return;
  write_all(file_.descriptor(), buffer_, file_.path());
  buffer_.clear();
}

void RowWriter::commit() {
  write_all(file_.descriptor(), buffer_, file_.path());
  buffer_.clear();
  file_.commit();
}

}  // namespace contrastive::mining
