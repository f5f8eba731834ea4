#include "core/torch/augment/tokens/substitute.h"

#include "core/base/sample.h"

namespace contrastive::augment {
namespace {

struct Match {
  int64_t begin, length;
  const SynonymTable::Candidates* candidates;
};

std::vector<Match> find_matches(const Ids& ids, const SynonymTable& table) {
  std::vector<Match> matches;
  const int64_t end = static_cast<int64_t>(ids.size()) - 1;
  for (int64_t i = 1; i < end;) {
    int64_t length = 0;
    const SynonymTable::Candidates* candidates = table.longest(ids.data() + i, end - i, length);
    if (candidates != nullptr) matches.push_back({i, length, candidates});
    i += candidates != nullptr ? length : 1;
  }
  return matches;
}

}  // namespace

Ids substitute(const Ids& ids, double share, const SynonymTable& table, int64_t max_length,
               Rng& rng) {
  const auto n = static_cast<int64_t>(ids.size());
  const std::vector<Match> matches = find_matches(ids, table);
  const std::vector<int64_t> chosen =
      choose(static_cast<int64_t>(matches.size()), rounded_count(share, n, rng.uniform()), rng);
  Ids result;
  int64_t at = 0, length = n;
  for (const int64_t number : chosen) {
    const Match& match = matches[static_cast<size_t>(number)];
    const Ids& candidate = (*match.candidates)[rng.below(match.candidates->size())];
    const int64_t longer = length - match.length + static_cast<int64_t>(candidate.size());
    if (longer > max_length && longer > length) continue;
    result.insert(result.end(), ids.begin() + at, ids.begin() + match.begin);
    result.insert(result.end(), candidate.begin(), candidate.end());
    at = match.begin + match.length;
    length = longer;
  }
  result.insert(result.end(), ids.begin() + at, ids.end());
  return result;
}

}  // namespace contrastive::augment
