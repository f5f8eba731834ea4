#include "core/mining/vector_table.h"

#include <algorithm>
#include <numeric>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/progress_report.h"
#include "core/base/sha256.h"

namespace contrastive::mining {
namespace {

// Texts embedded at a time: enough to fill the encoder's packed batches, few enough to lose little
// when a run is broken off.
constexpr int64_t kTextsAtOnce = 4096;
constexpr size_t kTextBytes = size_t{16}
                              << 20;     // of these texts together, the last one not counted
constexpr int64_t kScoredAtOnce = 4096;  // vectors that are compared with one query

constexpr std::string_view kStoreName = "vectors-";  // and 32 digits

bool is_store_name(std::string_view name) {
  return name.size() == kStoreName.size() + 32 && begins_with(name, kStoreName) &&
         name.find_first_not_of("0123456789abcdef", kStoreName.size()) == std::string_view::npos;
}

// Embeds `texts`. An error about one of them shows it: its place among those that are embedded
// together means nothing to the caller.
void embed_texts(const eval::TextEncoder& encoder, const std::vector<std::string_view>& texts,
                 float* into) {
  constexpr size_t kShown = 80;
  const std::string kFirst = "texts[0]";
  try {
    encoder.encode(texts, into);
  } catch (const Error& error) {
    if (error.status() != Status::kNumeric && error.status() != Status::kFormat) throw;
    for (const std::string_view text : texts) {
      try {
        encoder.encode({text}, into);
      } catch (const Error& own) {
        if (own.status() != error.status()) throw;
        const std::string& message = own.message();
        const std::string about =
            begins_with(message, kFirst) ? message.substr(kFirst.size()) : ": " + message;
        fail(own.status(), "mining: the text '", text.substr(0, kShown),
             text.size() > kShown ? "...'" : "'", about);
      }
    }
    throw;
  }
}

}  // namespace

std::shared_ptr<data::RowStore> open_vector_store(const std::string& folder,
                                                  const std::string& identity, int64_t dimension) {
  const std::string kind = sha256_hex(cat(identity, "\n", dimension)).substr(0, 32);
  return std::make_shared<data::RowStore>(dimension * static_cast<int64_t>(sizeof(float)),
                                          cat(folder, "/", kStoreName, kind));
}

void remove_vector_stores(const std::string& folder) noexcept {
  try {
    {
      const auto entries = open_entries(folder);
      while (const char* entry = entries ? next_entry(entries.get(), folder) : nullptr) {
        if (is_store_name(entry)) remove_tree(cat(folder, "/", entry).c_str());
      }
    }
    system::remove_folder(folder.c_str());
  } catch (...) {  // what stays is found and used by the next run
  }
}

VectorTable::VectorTable(const NamedEncoder& encoder, const TextTable& texts,
                         std::shared_ptr<data::RowStore> store)
    : encoder_(encoder), texts_(texts), store_(std::move(store)),
      rows_(static_cast<size_t>(texts.size()), data::RowStore::kAbsent) {}

void VectorTable::embed(const std::string& what, const Cancel* cancel) {
  std::vector<int64_t> all(rows_.size());
  std::iota(all.begin(), all.end(), 0);
  embed(all, what, cancel);
}

void VectorTable::embed(const std::vector<int64_t>& numbers, const std::string& what,
                        const Cancel* cancel) {
  ProgressReport progress(cancel, static_cast<int64_t>(numbers.size()), what, "mining");
  std::vector<int64_t> missing;
  std::vector<data::RowKey> keys;
  std::vector<std::string> texts;
  size_t text_bytes = 0;
  std::vector<float> vectors;
  const auto flush = [&] {
    throw_if_cancelled(cancel);
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    vectors.resize(texts.size() * static_cast<size_t>(dimension()));
    embed_texts(encoder_.encoder, views, vectors.data());
    for (size_t i = 0; i < missing.size(); ++i) {
      rows_[static_cast<size_t>(missing[i])] =
          store_->append(keys[i], 0, &vectors[i * static_cast<size_t>(dimension())]);
    }
    embedded_ += static_cast<int64_t>(missing.size());
    missing.clear();
    keys.clear();
    texts.clear();
    text_bytes = 0;
  };
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i % 1024 == 0) throw_if_cancelled(cancel);
    int64_t& row = rows_[static_cast<size_t>(numbers[i])];
    if (row != data::RowStore::kAbsent) continue;
    std::string text = texts_.text(numbers[i]);
    const data::RowKey key = text_key(encoder_.identity, text);
    row = store_->find(key);
    if (row != data::RowStore::kAbsent) continue;
    missing.push_back(numbers[i]);
    keys.push_back(key);
    text_bytes += text.size();
    texts.push_back(std::move(text));
    if (static_cast<int64_t>(missing.size()) == kTextsAtOnce || text_bytes >= kTextBytes) {
      flush();
      progress.at(static_cast<int64_t>(i) + 1);
    }
  }
  if (!missing.empty()) flush();
  progress.at(static_cast<int64_t>(numbers.size()));
}

void VectorTable::copy_one(int64_t number, float* into) const {
  const int64_t row = rows_[static_cast<size_t>(number)];
  check(row != data::RowStore::kAbsent, Status::kInternal, "text ", number, " is not embedded");
  store_->read(row, into);
}

void VectorTable::copy(int64_t first, int64_t count, float* into) const {
  for (int64_t i = 0; i < count; ++i) copy_one(first + i, into + i * dimension());
}

void VectorTable::copy(const std::vector<int64_t>& numbers, float* into) const {
  for (size_t i = 0; i < numbers.size(); ++i)
    copy_one(numbers[i], into + static_cast<int64_t>(i) * dimension());
}

void VectorTable::score(const float* query, const std::vector<int64_t>& numbers,
                        retrieval::Metric metric, float* scores) const {
  const auto count = static_cast<int64_t>(numbers.size());
  std::vector<float> vectors(static_cast<size_t>(std::min(kScoredAtOnce, count) * dimension()));
  for (int64_t first = 0; first < count; first += kScoredAtOnce) {
    const int64_t rows = std::min(kScoredAtOnce, count - first);
    copy({numbers.begin() + first, numbers.begin() + first + rows}, vectors.data());
    retrieval::similarity(query, 1, vectors.data(), rows, dimension(), metric, scores + first);
  }
}

}  // namespace contrastive::mining
