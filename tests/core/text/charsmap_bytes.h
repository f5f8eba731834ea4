// Builds a small character map in SentencePiece's compiled format: a double-array trie and the
// texts that its values point to.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contrastive::text {

class CharsmapBytes {
 public:
  // {"\t" -> " ", ...}
  explicit CharsmapBytes(const std::map<std::string, std::string>& entries) {
    for (const auto& [key, value] : entries) {
      keys_.emplace_back(key, replacements_.size());
      replacements_ += value + '\0';
    }
    units_[0] = 0;
    place(0, 0, 0, keys_.size());
  }

  std::string bytes() const {
    std::vector<uint32_t> units(units_.rbegin()->first + 257);
    for (const auto& [at, unit] : units_) units[at] = unit;
    std::string out;
    append(static_cast<uint32_t>(units.size() * 4), out);
    for (const uint32_t unit : units) append(unit, out);
    return out + replacements_;
  }

 private:
  static void append(uint32_t value, std::string& out) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xFF);
  }

  // The children of the node at `at`, whose keys are [begin, end) and share their first `depth`
  // bytes.
  void place(uint32_t at, size_t depth, size_t begin, size_t end) {
    std::vector<std::pair<uint32_t, std::pair<size_t, size_t>>> children;
    for (size_t i = begin; i < end;) {
      const size_t first = i;
      const bool leaf = keys_[i].first.size() == depth;
      const uint32_t label = leaf ? 0 : static_cast<unsigned char>(keys_[i].first[depth]);
      for (++i; i < end && !leaf && static_cast<unsigned char>(keys_[i].first[depth]) == label;
           ++i) {
      }
      children.push_back({label, {first, i}});
    }
    uint32_t base = 1;
    const auto free = [&] {
      for (const auto& child : children) {
        if (units_.count(base ^ child.first) != 0) return false;
      }
      return bases_.count(base) == 0;
    };
    while (!free()) ++base;
    bases_.insert(base);
    units_[at] |= (base ^ at) << 10;
    for (const auto& [label, range] : children)
      units_[base ^ label] =
          label == 0 ? 1u << 31 | static_cast<uint32_t>(keys_[range.first].second) : label;
    for (const auto& [label, range] : children) {
      if (label == 0) units_[at] |= 1u << 8;
      else place(base ^ label, depth + 1, range.first, range.second);
    }
  }

  std::vector<std::pair<std::string, size_t>> keys_;
  std::string replacements_;
  std::map<uint32_t, uint32_t> units_;
  std::set<uint32_t> bases_;
};

}  // namespace contrastive::text
