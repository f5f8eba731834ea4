#include "core/adapt/training_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/mining/text_identity.h"

namespace contrastive::adapt {
namespace {

data::RowKey key_of(const std::string& anchor, const std::string& positive) {
  return mining::text_key(cat(anchor.size(), " ", anchor), positive);
}

}  // namespace

TrainingRows write_training_rows(const std::string& path, const std::vector<AdaptPair>& pairs,
                                 const std::string& mined, const Cancel* cancel) {
  std::map<data::RowKey, std::vector<std::string>> negatives;
  if (!mined.empty()) {
    Config config;
    config.set_json("data.format", "jsonl");
    const auto triplets = data::open_dataset(mined, config);
    for (int64_t i = 0; i < triplets->size(); ++i) {
      if (i % 1024 == 0) throw_if_cancelled(cancel);
      data::Example triplet = triplets->get(i);
      auto& own = negatives[key_of(triplet.a, triplet.b)];
      for (std::string& negative : triplet.negatives) own.push_back(std::move(negative));
    }
  }
  std::vector<AdaptPair> rows = pairs;
  TrainingRows written;
  for (AdaptPair& row : rows) {
    const auto own = negatives.find(key_of(row.anchor, row.positive));
    if (own != negatives.end()) {
      for (const std::string& text :
           own->second) {  // one that the pair came with may be mined again
        if (std::find(row.negatives.begin(), row.negatives.end(), text) == row.negatives.end())
          row.negatives.push_back(text);
      }
    }
    written.with_negatives += row.negatives.empty() ? 0 : 1;
  }
  written.rows = static_cast<int64_t>(rows.size());
  write_pairs(path, rows);
  return written;
}

}  // namespace contrastive::adapt
