#include "core/text/token_trie.h"

#include <algorithm>

#include "core/base/checked.h"

namespace contrastive::text {

TokenTrie::TokenTrie(Keys keys, const Cancel* cancel) {
  first_.fill(kNone);
  std::stable_sort(keys.begin(), keys.end(), cancellable(cancel, [](const auto& a, const auto& b) {
                     return a.first < b.first;
                   }));
  // The keys below each node are consecutive. Nodes are made level by level, so that the children
  // of a node are consecutive too.
  struct Range {
    size_t begin, end;
  };
  std::vector<Range> ranges{{0, keys.size()}}, below;
  nodes_.emplace_back();
  uint32_t node = 0;
  for (size_t depth = 0; !ranges.empty(); ++depth) {
    below.clear();
    for (const Range& range : ranges) {
      throw_if_cancelled(cancel);
      size_t at = range.begin;
      while (at < range.end && keys[at].first.size() == depth) {
        if (depth > 0 && nodes_[node].id < 0) nodes_[node].id = keys[at].second;
        ++at;
      }
      nodes_[node].children = narrow<uint32_t>(nodes_.size(), "nodes of a trie");
      while (at < range.end) {
        const auto label = static_cast<unsigned char>(keys[at].first[depth]);
        const size_t begin = at;
        while (at < range.end && static_cast<unsigned char>(keys[at].first[depth]) == label) ++at;
        if (depth == 0) first_[label] = static_cast<uint32_t>(nodes_.size());
        nodes_.push_back({0, -1, 0, label});
        ++nodes_[node].count;
        below.push_back({begin, at});
      }
      ++node;
    }
    ranges.swap(below);
  }
}

}  // namespace contrastive::text
