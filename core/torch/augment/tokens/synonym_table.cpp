#include "core/torch/augment/tokens/synonym_table.h"

#include <algorithm>
#include <charconv>

#include "core/torch/augment/tokens/synonym_words.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"

namespace contrastive::augment {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 30;

// The ids of a piece of text without the special tokens that the tokenizer adds around it.
std::vector<int32_t> plain_ids(const text::Tokenizer& tokenizer, const std::string& text) {
  const text::Encoding encoding = tokenizer.encode(text, 0);
  std::vector<int32_t> ids;
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    if (encoding.begins[i] >= 0) ids.push_back(encoding.ids[i]);
  }
  return ids;
}

void read_words(std::string_view text, const std::string& path, const text::Tokenizer& tokenizer,
                SynonymTable& table) {
  const bool unknown = tokenizer.special_ids().unk >= 0;
  const auto usable = [&](const std::vector<int32_t>& ids) {
    return !ids.empty() &&
           !(unknown && std::count(ids.begin(), ids.end(), tokenizer.special_ids().unk) > 0);
  };
  parse_synonym_words(text, path,
                      [&](const std::string& word, const std::vector<std::string>& synonyms) {
                        std::vector<int32_t> inside;
                        for (const char* before : {" ", ""}) {
                          const std::vector<int32_t> key = plain_ids(tokenizer, before + word);
                          if (*before == '\0' && key == inside)
                            continue;  // a vocabulary to which a space before a word is nothing
                          inside = key;
                          if (!usable(key) ||
                              static_cast<int64_t>(key.size()) > SynonymTable::kLongest)
                            continue;
                          for (const std::string& synonym : synonyms) {
                            std::vector<int32_t> candidate = plain_ids(tokenizer, before + synonym);
                            if (usable(candidate)) table.add(key, std::move(candidate));
                          }
                        }
                      });
}

std::vector<int32_t> parse_ids(std::string_view item, int64_t vocabulary,
                               const std::string& where) {
  std::vector<int32_t> ids;
  while (!item.empty()) {
    if (item.front() == ' ') {
      item.remove_prefix(1);
      continue;
    }
    int32_t id = -1;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), id);
    const auto taken = static_cast<size_t>(end - item.data());
    const bool whole = error == std::errc() && (taken == item.size() || item[taken] == ' ');
    check(whole, Status::kFormat, where, ": '", item.substr(0, 40), "' is not a token id");
    check(id >= 0 && id < vocabulary, Status::kMismatch, where, ": id ", id,
          ", but the tokenizer has ", vocabulary, " tokens");
    ids.push_back(id);
    item.remove_prefix(taken);
  }
  return ids;
}

void read_ids(std::string_view text, const std::string& path, int64_t vocabulary,
              SynonymTable& table) {
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    const std::string where = cat(path, ":", number);
    std::vector<int32_t> key;
    for (bool first = true; !line.empty(); first = false) {
      const size_t comma = std::min(line.find(','), line.size());
      std::vector<int32_t> ids = parse_ids(line.substr(0, comma), vocabulary, where);
      line.remove_prefix(std::min(comma + 1, line.size()));
      check(!ids.empty(), Status::kFormat, where, ": an entry without ids");
      if (first) key = std::move(ids);
      else table.add(key, std::move(ids));
    }
  }
}

}  // namespace

size_t SynonymTable::KeyHash::operator()(const Key& key) const {
  uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const int32_t id : key) {
    hash = (hash ^ static_cast<uint32_t>(id)) * 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 29;
  }
  return static_cast<size_t>(hash);
}

void SynonymTable::add(const std::vector<int32_t>& key, std::vector<int32_t> candidate) {
  if (key.empty() || static_cast<int64_t>(key.size()) > kLongest || candidate.empty() ||
      candidate == key)
    return;
  Key place;
  place.fill(-1);
  std::copy(key.begin(), key.end(), place.begin());
  Candidates& candidates = entries_[place];
  if (std::find(candidates.begin(), candidates.end(), candidate) == candidates.end())
    candidates.push_back(std::move(candidate));
}

const SynonymTable::Candidates* SynonymTable::longest(const int32_t* ids, int64_t most,
                                                      int64_t& length) const {
  for (length = std::min(most, kLongest); length > 0; --length) {
    Key key;
    key.fill(-1);
    std::copy(ids, ids + length, key.begin());
    const auto found = entries_.find(key);
    if (found != entries_.end()) return &found->second;
  }
  return nullptr;
}

SynonymTable SynonymTable::read(const std::string& path, const text::Tokenizer& tokenizer) {
  const std::string bytes = read_file(path, kMaxBytes);
  SynonymTable table;
  const size_t first = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string::npos && bytes[first] == '{') {
    read_words(bytes, path, tokenizer, table);
  } else {
    read_ids(bytes, path, tokenizer.vocab_size(), table);
  }
  check(table.size() > 0, Status::kFormat, path,
        ": no synonyms: neither a JSON object of words nor lines of token ids");
  log_info(path, ": ", table.size(), " words with synonyms");
  return table;
}

}  // namespace contrastive::augment
