#include "core/mining/mining_set.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/log.h"

namespace contrastive::mining {
namespace {

// A place is an example's number and which of its texts: of the pairs' or of the corpus'.
enum Column : int64_t { kAnchor = 0, kPositive = 1, kDocument = 2, kColumns = 3 };
int64_t place_of(int64_t example, Column column) { return example * kColumns + column; }

void look_at(const Cancel* cancel, int64_t example) {
  if (example % 1024 == 0) throw_if_cancelled(cancel);
}

void read_corpus(const data::Dataset& corpus, MiningSet& set, const Cancel* cancel) {
  for (int64_t i = 0; i < corpus.size(); ++i) {
    look_at(cancel, i);
    const data::Example example = corpus.get(i);
    if (example.has_b) refuse_corpus_of_pairs(corpus, i);
    if (is_blank(example.a)) {
      ++set.empty_documents;
      continue;
    }
    const int64_t known = set.documents.size();
    if (set.documents.add(example.a, place_of(i, kDocument)) < known) ++set.repeated_documents;
  }
}

// Keeps the first of each number, and counts the others, in one pass: all pairs may have one
// anchor.
int64_t drop_repeated(std::vector<int64_t>& numbers) {
  if (numbers.size() == 1) return 0;
  std::unordered_set<int64_t> seen;
  const auto end = std::remove_if(numbers.begin(), numbers.end(),
                                  [&](int64_t number) { return !seen.insert(number).second; });
  const int64_t repeated = numbers.end() - end;
  numbers.erase(end, numbers.end());
  return repeated;
}

void read_pairs(const data::Dataset& pairs, MiningSet& set, const Cancel* cancel) {
  std::vector<int64_t> lines;  // of each query
  for (int64_t i = 0; i < pairs.size(); ++i) {
    look_at(cancel, i);
    const data::Example example = pairs.get(i);
    if (!example.has_b)
      fail(Status::kArgument, pairs.where(i),
           ": a text without a positive: mining needs pairs of an anchor and its positive");
    if (!example.negatives.empty()) ++set.own_negatives;
    if (is_blank(example.a) || is_blank(example.b)) {
      ++set.empty_pairs;
      continue;
    }
    ++set.pairs;
    const int64_t query = set.queries.add(example.a, place_of(i, kAnchor)),
                  document = set.documents.add(example.b, place_of(i, kPositive));
    if (query == static_cast<int64_t>(set.positives.size())) {
      set.positives.emplace_back();
      lines.push_back(0);
    }
    set.most_positives = std::max(set.most_positives, ++lines[static_cast<size_t>(query)]);
    set.positives[static_cast<size_t>(query)].push_back(document);
  }
  for (std::vector<int64_t>& positives : set.positives)
    set.repeated_pairs += drop_repeated(positives);
}

int64_t count_alike(const TextTable& documents) {
  std::unordered_set<uint64_t> normals;
  for (int64_t i = 0; i < documents.size(); ++i) normals.insert(documents.normal(i));
  return documents.size() - static_cast<int64_t>(normals.size());
}

// `pairs`, `documents`: how many of the empty ones the log told when their dataset was opened.
void warn_of(const MiningSet& set, int64_t pairs, int64_t documents) {
  if (set.empty_pairs > pairs)
    log_warning("mining: ", set.empty_pairs - pairs,
                " pairs are left out: one of their texts is empty");
  if (set.empty_documents > documents)
    log_warning("mining: ", set.empty_documents - documents, " empty documents are left out");
  if (set.repeated_documents > 0)
    log_warning("mining: ", set.repeated_documents,
                " documents of the corpus repeat others; each text counts once");
  if (set.repeated_pairs > 0)
    log_warning("mining: ", set.repeated_pairs, " pairs repeat others; each counts once");
  if (set.alike_documents > 0)
    log_warning("mining: ", set.alike_documents,
                " documents equal others except for case, white space or compatible characters");
  if (set.own_negatives > 0)
    log_warning("mining: ", set.own_negatives, " pairs already have negatives, which are ignored");
}

}  // namespace

void refuse_corpus_of_pairs(const data::Dataset& corpus, int64_t index) {
  fail(Status::kArgument, corpus.where(index),
       ": the corpus has pairs, but texts are needed: open it with data.columns naming the column "
       "of the text ",
       "(contrastive: --corpus-column)");
}

std::unique_ptr<MiningSet> read_mining_set(const data::Dataset& pairs, const data::Dataset* corpus,
                                           const Cancel* cancel) {
  auto set = std::make_unique<MiningSet>([&pairs, corpus](int64_t place) {
    const data::Example example =
        place % kColumns == kDocument ? corpus->get(place / kColumns) : pairs.get(place / kColumns);
    return place % kColumns == kPositive ? example.b : example.a;
  });
  const int64_t left_out = pairs.report().empty_left_out(),
                left_out_documents = corpus == nullptr ? 0 : corpus->report().empty_left_out();
  set->empty_pairs = left_out;
  set->empty_documents = left_out_documents;
  if (corpus != nullptr) read_corpus(*corpus, *set, cancel);
  read_pairs(pairs, *set, cancel);
  set->alike_documents = count_alike(set->documents);
  warn_of(*set, left_out, left_out_documents);
  check(set->pairs > 0, Status::kArgument, "mining: no pair is left of ", pairs.size() + left_out,
        ", ", set->empty_pairs, " of which have an empty text");
  check(set->documents.size() > 1, Status::kArgument,
        "mining: there is one distinct document only, and no other that could be a negative");
  return set;
}

}  // namespace contrastive::mining
