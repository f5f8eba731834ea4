#include "capi/program/shards/shard_contents.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "capi/program/encode_rows.h"
#include "capi/program/failure.h"
#include "capi/program/shards/shard_files.h"
#include "capi/program/signals.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kSampleBlock = 256;
constexpr int64_t kRowsBetweenStops = 4096;
// Tolerances for vectors that another processor or GPU computed. In float32 they differ by less; in
// int8 and bfloat16 rounding differs more.
constexpr double kFloatTolerance = 1e-4, kNarrowTolerance = 0.05;

std::string in_row(int64_t number, const std::string& what) {
  return "row " + std::to_string(number) + ": " + what;
}

bool is_hash(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The rows of one shard, read from the corpus.
class CorpusShare {
 public:
  CorpusShare(const ContentsCheck& check, const Shard& shard) : shard_(shard) {
    if (!check.input.empty()) reader_ = std::make_unique<RowReader>(check.input, check.rows);
  }
  bool given() const { return reader_ != nullptr; }
  bool next(std::vector<std::string>& row) {
    while (reader_->next(row)) {
      if (read_++ % shard_.count == shard_.index) return true;
    }
    return false;
  }

 private:
  Shard shard_;
  std::unique_ptr<RowReader> reader_;
  int64_t read_ = 0;
};

// Encodes sampled rows again, in blocks.
class Sample {
 public:
  Sample(const ContentsCheck& check, double tolerance, ContentsFound& found)
      : check_(check), tolerance_(tolerance), found_(found) {}

  bool wants(int64_t number) const {
    if (check_.embedder == nullptr || check_.sample == 0) return false;
    return check_.sample >= check_.total || number * check_.sample % check_.total < check_.sample;
  }
  std::string add(int64_t number, const std::string& text, const ShardRow& row) {
    texts_.add(text);
    numbers_.push_back(number);
    counts_.push_back(row.tokens);
    stored_.insert(stored_.end(), row.embedding, row.embedding + check_.embedder->dimension());
    return texts_.size() < kSampleBlock ? "" : compare();
  }
  std::string compare() {
    if (numbers_.empty()) return "";
    std::vector<float> now;
    std::vector<int32_t> counts;
    check_.embedder->embed(texts_, now, counts);
    const auto width = static_cast<size_t>(check_.embedder->dimension());
    for (size_t i = 0; i < numbers_.size(); ++i) {
      double length = 0, largest = 0;
      for (size_t j = i * width; j < (i + 1) * width; ++j) {
        length += double{now[j]} * now[j];
        largest = std::max(largest, std::fabs(double{now[j]} - stored_[j]));
      }
      largest /= length > 0 ? std::sqrt(length) : 1;
      found_.largest_difference = std::max(found_.largest_difference, largest);
      if (largest > tolerance_)
        return in_row(numbers_[i],
                      "encoded again, its embedding differs by " + std::to_string(largest));
      if (counts[i] != counts_[i])
        return in_row(numbers_[i],
                      "encoded again, it has " + std::to_string(counts[i]) + " tokens");
    }
    found_.sampled += static_cast<int64_t>(numbers_.size());
    texts_.clear();
    numbers_.clear();
    counts_.clear();
    stored_.clear();
    return "";
  }

 private:
  const ContentsCheck& check_;
  double tolerance_;
  ContentsFound& found_;
  TextBlock texts_;
  std::vector<int64_t> numbers_;
  std::vector<int32_t> counts_;
  std::vector<float> stored_;
};

// Checks the rules that every row must follow. Returns the problem, or "".
std::string wrong_in(const ShardRow& row, int64_t number, int32_t dimension, int32_t max_length) {
  if (row.number >= 0 && row.number != number) return "its id is " + std::to_string(row.number);
  if (!is_hash(row.text_hash)) return "text_hash is not 32 hexadecimal digits";
  if (!std::all_of(row.embedding, row.embedding + dimension,
                   [](float x) { return std::isfinite(x); }))
    return "the embedding is not finite";
  if (row.tokens < 0 || row.truncated != (row.tokens > max_length))
    return "n_tokens and truncated contradict each other";
  return "";
}

}  // namespace

std::string check_contents(const std::string& folder, const Shard& shard, const Receipt& receipt,
                           const ContentsCheck& check, ContentsFound& found) {
  const auto number_of = [&](const char* key) {
    return std::atoi(receipt.metadata.value(key, "0").c_str());
  };
  const int32_t dimension = number_of("dimension"), max_length = number_of("max_length");
  const auto reader = make_shard_reader(folder, shard.stem(), receipt.format, dimension);
  CorpusShare corpus(check, shard);
  Sample sample(check,
                receipt.metadata.value("precision", "") == "float32" ? kFloatTolerance
                                                                     : kNarrowTolerance,
                found);
  std::vector<std::string> fields;
  ShardRow row;
  int64_t rows = 0;
  for (; reader->next(row); ++rows) {
    if (rows % kRowsBetweenStops == 0) stop_if_asked();
    const int64_t number = shard.index + rows * shard.count;
    std::string wrong = wrong_in(row, number, dimension, max_length);
    if (!wrong.empty()) return in_row(number, wrong);
    if (!corpus.given()) continue;
    if (!corpus.next(fields)) return in_row(number, "the corpus ends before it");
    if (text_hash(fields.front()) != row.text_hash)
      return in_row(number, "text_hash is not that of the corpus' text");
    if (!check.rows.id_column.empty() && fields.back() != row.id)
      return in_row(number, "its id is '" + row.id + "', the corpus has '" + fields.back() + "'");
    if (!sample.wants(number)) continue;
    wrong = sample.add(number, fields.front(), row);
    if (!wrong.empty()) return wrong;
  }
  if (rows != receipt.rows)
    return "there are " + std::to_string(rows) + " rows, the receipt says " +
           std::to_string(receipt.rows);
  return sample.compare();
}

}  // namespace contrastive::cli
