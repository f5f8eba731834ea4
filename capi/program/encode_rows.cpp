#include "capi/program/encode_rows.h"

#include <algorithm>
#include <cstdio>

#include "capi/program/failure.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

// Enough to sort by length and to keep all threads busy, and few enough to show progress.
constexpr int64_t kBlockTexts = 2048;
constexpr size_t kBlockBytes = size_t{8} << 20;
constexpr int64_t kRowsBetweenLooks = 1 << 16;

// The texts of one call of cs_encode_packed, with their lines in the input.
struct RowBlock {
  TextBlock texts;
  std::vector<std::vector<std::string>> fields;
  std::vector<int64_t> numbers, lines;

  // Adds the number of rows that it reads, of all shares, to `rows`. False at the end of the input.
  bool fill(RowReader& reader, const RowShare& share, int64_t& rows) {
    texts.clear();
    fields.clear();
    numbers.clear();
    lines.clear();
    std::vector<std::string> row;
    while (texts.size() < kBlockTexts && texts.data.size() < kBlockBytes) {
      if (!reader.next(row)) return false;
      const int64_t number = rows++;
      if (number % kRowsBetweenLooks == 0) stop_if_asked();
      if (number % share.count != share.index) continue;
      texts.add(row[0]);
      fields.push_back(row);
      numbers.push_back(number);
      lines.push_back(reader.line());
    }
    return true;
  }
};

// The library's error for one of several texts begins with its index, "texts[7] ...". Replaces the
// index by the line of the input.
Failure with_line(Failure failure, const std::string& input, const std::vector<int64_t>& lines) {
  long long i = -1;
  if (std::sscanf(failure.message.c_str(), "texts[%lld]", &i) != 1 || i < 0 ||
      i >= static_cast<long long>(lines.size()))
    return failure;
  return failure.at(input, lines[static_cast<size_t>(i)]);
}

}  // namespace

EncodeTotals encode_rows(const std::string& input, RowReader& reader, const RowShare& share,
                         const Embedder& embedder, Progress& progress,
                         const std::function<void(const EncodedRow&)>& sink) {
  EncodeTotals totals;
  RowBlock block;
  std::vector<float> embeddings;
  std::vector<int32_t> counts;
  for (bool more = true; more;) {
    more = block.fill(reader, share, totals.rows);
    try {
      embedder.embed(block.texts, embeddings, counts);
    } catch (const Failure& failure) {
      throw with_line(failure, input, block.lines);
    }
    for (size_t i = 0; i < block.numbers.size(); ++i) {
      const bool truncated = counts[i] > embedder.max_length();
      sink({block.numbers[i], &block.fields[i],
            &embeddings[i * static_cast<size_t>(embedder.dimension())], counts[i], truncated});
      ++totals.texts;
      totals.truncated += truncated;
      totals.tokens += std::min(counts[i], embedder.max_length());
    }
    const double rate = static_cast<double>(totals.tokens) / std::max(progress.seconds(), 1e-9);
    progress.update(totals.texts, reader.fraction(),
                    with_commas(static_cast<int64_t>(rate)) + " tokens/s");
  }
  return totals;
}

}  // namespace contrastive::cli
