#include "core/mining/miner.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/progress_report.h"
#include "core/base/rng.h"
#include "core/base/sample.h"
#include "core/mining/candidates.h"
#include "core/mining/mining_set.h"
#include "core/mining/row_writer.h"
#include "core/mining/score_summary.h"
#include "core/mining/negative_selection.h"

namespace contrastive::mining {
namespace {

// What the queries that are done have given.
struct Tally {
  FilterCounts counts;
  std::vector<float> positive, negative, difference;
  int64_t without = 0, with_fewer = 0, negatives = 0, distinct_pairs = 0;
  Json sample = Json::array();
};

class Miner {
 public:
  Miner(const MiningEncoder& encoder, Guide* guide, const MiningSet& set, const std::string& output,
        const MiningOptions& options, const Cancel* cancel)
      : guide_(guide), set_(set), options_(options), cancel_(cancel),
        last_rank_(options.last_rank(set.most_positives, guide != nullptr)),
        writer_(output,
                options),  // before the work: an output that cannot be written costs nothing
        store_(open_vector_store(vector_folder(output, options), encoder.identity,
                                 encoder.documents.encoder.dimension)),
        queries_(encoder.queries, set.queries, store_),
        documents_(encoder.documents, set.documents, store_) {
    Rng rng(static_cast<uint64_t>(options.seed), Purpose::kMining, 1);
    shown_ = choose(set.queries.size(), options.sample, rng);
  }

  Json run() {
    documents_.embed("documents embedded", cancel_);
    queries_.embed("queries embedded", cancel_);
    const int64_t per_query = std::min(last_rank_ + set_.most_positives, documents_.size());
    const int64_t block = queries_at_once(per_query, queries_.dimension());
    ProgressReport progress(cancel_, set_.queries.size(), "queries searched", "mining");
    for (int64_t first = 0; first < set_.queries.size(); first += block) {
      const int64_t count = std::min(block, set_.queries.size() - first);
      mine_block(first, count, per_query);
      progress.at(first + count);
    }
    check(tally_.negatives > 0, Status::kArgument, "mining: no negative is left for any of ",
          set_.queries.size(), " queries: ", reasons(),
          ". Lower the margins, or raise range_max or max_score");
    if (tally_.without > 0)
      log_warning("mining: ", tally_.without, " of ", set_.queries.size(),
                  " queries have no negative: ", reasons());
    if (tally_.counts.equal_text > 0)
      log_warning("mining: ", tally_.counts.equal_text,
                  " candidates are a positive or the query itself, except for case, white space or "
                  "compatible "
                  "characters; they are left out (equal_texts = exact keeps them)");
    writer_.commit();
    return report();
  }

 private:
  std::string reasons() const {
    std::string text = cat("of ", tally_.counts.candidates, " candidates");
    const Json removed = tally_.counts.to_json();
    for (const auto& [name, count] : removed.items()) {
      if (count.get<int64_t>() > 0) text += cat(", ", count.get<int64_t>(), " went by ", name);
    }
    return text + cat(", and ", tally_.counts.left(), " were left");
  }

  // The scores of the positives of `count` queries, end to end.
  std::vector<float> positive_scores(int64_t first, int64_t count, const float* queries) const {
    const int64_t d = queries_.dimension();
    std::vector<float> scores;
    for (int64_t i = 0; i < count; ++i) {
      const std::vector<int64_t>& documents = set_.positives[static_cast<size_t>(first + i)];
      scores.resize(scores.size() + documents.size());
      documents_.score(queries + i * d, documents, options_.similarity,
                       scores.data() + scores.size() - documents.size());
    }
    return scores;
  }

  void mine_block(int64_t first, int64_t count, int64_t per_query) {
    std::vector<float> vectors(static_cast<size_t>(count * queries_.dimension()));
    queries_.copy(first, count, vectors.data());
    Candidates candidates =
        find_candidates(vectors.data(), count, documents_, per_query, options_.similarity, cancel_);
    std::vector<float> positives = positive_scores(first, count, vectors.data());
    if (guide_ != nullptr) ask_guide(first, count, candidates, positives);
    const float* scores = positives.data();
    for (int64_t i = 0; i < count; ++i) {
      if (i % 256 == 0) throw_if_cancelled(cancel_);
      finish_query(first + i, i, candidates, scores);
      scores += set_.positives[static_cast<size_t>(first + i)].size();
    }
  }

  // Replaces the model's scores of candidates and positives by the guide's.
  void ask_guide(int64_t first, int64_t count, Candidates& candidates,
                 std::vector<float>& positives) const {
    std::vector<GuideQuestion> questions;
    float* next = positives.data();
    for (int64_t i = 0; i < count; ++i) {
      const auto begin = candidates.documents.begin() + i * candidates.per_query,
                 end = begin + candidates.per_query;
      questions.push_back({first + i,
                           {begin, std::find(begin, end, -1)},
                           &candidates.scores[static_cast<size_t>(i * candidates.per_query)]});
      const std::vector<int64_t>& own = set_.positives[static_cast<size_t>(first + i)];
      questions.push_back({first + i, own, next});
      next += own.size();
    }
    guide_->score(set_.queries, set_.documents, questions, cancel_);
  }

  std::vector<Candidate> kin(int64_t query, const int64_t* documents, const float* scores,
                             int64_t count) const {
    const std::vector<int64_t>& positives = set_.positives[static_cast<size_t>(query)];
    const std::unordered_set<int64_t> own(positives.begin(), positives.end());
    std::unordered_set<uint64_t> normals;
    if (options_.equal_texts == EqualTexts::kNormalized) {
      normals.insert(set_.queries.normal(query));
      for (const int64_t document : positives) normals.insert(set_.documents.normal(document));
    }
    std::vector<Candidate> result;
    for (int64_t i = 0; i < count && documents[i] >= 0; ++i) {
      const bool positive = own.count(documents[i]) > 0;
      const bool equal = !positive && normals.count(set_.documents.normal(documents[i])) > 0;
      result.push_back({documents[i], scores[i],
                        positive ? Kinship::kPositive
                        : equal  ? Kinship::kEqualText
                                 : Kinship::kNone});
    }
    return result;
  }

  void finish_query(int64_t query, int64_t row, const Candidates& candidates,
                    const float* positive_scores) {
    const std::vector<int64_t>& own = set_.positives[static_cast<size_t>(query)];
    const auto at = static_cast<size_t>(row * candidates.per_query);
    const float least = *std::min_element(positive_scores, positive_scores + own.size());
    check(std::isfinite(least), Status::kNumeric, "mining: the score of query ", query,
          " and its positive is not a finite number");
    FilterCounts counts;
    const std::vector<Negative> negatives =
        select_negatives(kin(query, &candidates.documents[at], &candidates.scores[at],
                             candidates.per_query),
                         least, options_, last_rank_, query, counts);
    tally_.counts.add(counts);
    tally_.distinct_pairs += static_cast<int64_t>(own.size());
    tally_.positive.insert(tally_.positive.end(), positive_scores, positive_scores + own.size());
    tally_.without += negatives.empty() ? 1 : 0;
    tally_.with_fewer += static_cast<int64_t>(negatives.size()) < options_.num_negatives ? 1 : 0;
    tally_.negatives += static_cast<int64_t>(negatives.size());
    count_scores(negatives, positive_scores, own.size());
    write(query, negatives, positive_scores);
  }

  // As often as the pairs of the output have them: once for each positive.
  void count_scores(const std::vector<Negative>& negatives, const float* positive_scores,
                    size_t positives) {
    if (options_.format == OutputFormat::kTuple &&
        static_cast<int64_t>(negatives.size()) < options_.num_negatives)
      return;
    for (size_t i = 0; i < positives; ++i) {
      for (const Negative& negative : negatives) {
        tally_.negative.push_back(negative.score);
        tally_.difference.push_back(positive_scores[i] - negative.score);
      }
    }
  }

  void write(int64_t query, const std::vector<Negative>& negatives, const float* positive_scores) {
    const bool shown = std::binary_search(shown_.begin(), shown_.end(), query);
    const std::vector<int64_t>& own = set_.positives[static_cast<size_t>(query)];
    MinedQuery mined{set_.queries.text(query), {}, {}};
    for (size_t i = 0; i < own.size(); ++i)
      mined.positives.push_back({set_.documents.text(own[i]), positive_scores[i]});
    for (const Negative& negative : negatives)
      mined.negatives.push_back({set_.documents.text(negative.document), negative.score});
    writer_.write(mined);
    if (!shown) return;
    Json row = {{"anchor", mined.anchor},
                {"positives", Json::array()},
                {"negatives", Json::array()}};
    for (const ScoredText& positive : mined.positives)
      row["positives"].push_back({{"text", positive.text}, {"score", positive.score}});
    for (size_t i = 0; i < negatives.size(); ++i)
      row["negatives"].push_back({{"text", mined.negatives[i].text},
                                  {"score", negatives[i].score},
                                  {"rank", negatives[i].rank}});
    tally_.sample.push_back(std::move(row));
  }

  Json report() {
    Json json = Json::object();
    json["rows"] = writer_.rows();
    json["missing_rows"] =
        writer_.possible_rows(set_.queries.size(), tally_.distinct_pairs, set_.pairs) -
        writer_.rows();
    json["pairs"] = set_.pairs;
    json["queries"] = set_.queries.size();
    json["documents"] = set_.documents.size();
    json["negatives"] = tally_.negatives;
    json["queries_without_negatives"] = tally_.without;
    json["queries_with_fewer"] = tally_.with_fewer;
    json["range_max"] = last_rank_;
    json["candidates"] = tally_.counts.candidates;
    json["removed"] = tally_.counts.to_json();
    json["input"] = {{"empty_pairs", set_.empty_pairs},
                     {"empty_documents", set_.empty_documents},
                     {"repeated_pairs", set_.repeated_pairs},
                     {"repeated_documents", set_.repeated_documents},
                     {"alike_documents", set_.alike_documents}};
    json["embedded"] = queries_.embedded() + documents_.embedded();
    json["scores"] = {{"positive", summary_of(tally_.positive)},
                      {"negative", summary_of(tally_.negative)},
                      {"difference", summary_of(tally_.difference)}};
    json["sample"] = std::move(tally_.sample);
    return json;
  }

  Guide* guide_;
  const MiningSet& set_;
  const MiningOptions& options_;
  const Cancel* cancel_;
  int64_t last_rank_;
  RowWriter writer_;
  std::shared_ptr<data::RowStore> store_;
  VectorTable queries_, documents_;
  std::vector<int64_t> shown_;
  Tally tally_;
};

}  // namespace

std::string vector_folder(const std::string& output, const MiningOptions& options) {
  return options.cache.empty() ? output + ".vectors" : options.cache;
}

Json mine(const MiningEncoder& encoder, Guide* guide, const MiningInput& input,
          const std::string& output, const MiningOptions& options, const Cancel* cancel) {
  check(!output.empty(), Status::kArgument, "mining: the output has no name");
  for (const data::Dataset* read : {&input.pairs, input.corpus}) {
    check(read == nullptr || !is_same_file(output, read->path()), Status::kArgument, output,
          ": the output is one of the inputs: name another file");
  }
  throw_if_cancelled(cancel);
  const auto set = read_mining_set(input.pairs, input.corpus, cancel);
  Json report = Miner(encoder, guide, *set, output, options, cancel).run();
  if (options.cache.empty()) remove_vector_stores(vector_folder(output, options));
  return report;
}

}  // namespace contrastive::mining
