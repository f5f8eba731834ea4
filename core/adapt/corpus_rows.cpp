#include "core/adapt/corpus_rows.h"

#include <set>

#include "core/adapt/near_duplicates.h"
#include "core/base/error.h"
#include "core/mining/mining_set.h"
#include "core/mining/text_identity.h"

namespace contrastive::adapt {

CorpusRows look_through_corpus(const data::Dataset& corpus, const std::vector<std::string>& answers,
                               double near_duplicate, const Cancel* cancel) {
  check(corpus.size() > 0, Status::kArgument,
        "adapt: the corpus has no text: leave it out, and the documents of the pairs are what is "
        "searched");
  const NearDuplicates near(answers, near_duplicate);
  std::set<data::RowKey> exact, seen;
  for (const std::string& answer : answers) exact.insert(mining::text_key("", answer));
  CorpusRows rows;
  rows.empty = corpus.report().empty_left_out();
  rows.read = corpus.size() + rows.empty;
  for (int64_t row = 0; row < corpus.size(); ++row) {
    if (row % 1024 == 0) throw_if_cancelled(cancel);
    const data::Example example = corpus.get(row);
    if (example.has_b) mining::refuse_corpus_of_pairs(corpus, row);
    const data::RowKey key = mining::text_key("", example.a);
    int64_t* reason = nullptr;
    if (mining::is_blank(example.a)) reason = &rows.empty;
    else if (!seen.insert(key).second) reason = &rows.repeated;
    else if (exact.count(key) == 0 && near.has_like(example.a)) reason = &rows.near_answers;
    if (reason == nullptr) continue;
    ++*reason;
    rows.left_out.push_back(row);
  }
  return rows;
}

}  // namespace contrastive::adapt
