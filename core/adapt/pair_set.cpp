#include "core/adapt/pair_set.h"

#include <cmath>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/io/atomic_file.h"
#include "core/mining/text_identity.h"

namespace contrastive::adapt {

PairSet read_pair_set(const data::Dataset& data, const std::string& name, const Cancel* cancel) {
  PairSet set;
  set.read = set.empty = data.report().empty_left_out();
  std::set<data::RowKey> known;
  for (int64_t i = 0; i < data.size(); ++i) {
    if (i % 1024 == 0) throw_if_cancelled(cancel);
    data::Example example = data.get(i);
    // where() is slow, so it is called only for the example at fault.
    if (!example.has_b) {
      fail(Status::kArgument, data.where(i), ": a text without a second one: the ", name,
           " must be pairs, a query and the document that answers it");
    }
    ++set.read;
    set.labelled += std::isnan(example.label) ? 0 : 1;
    if (mining::is_blank(example.a) || mining::is_blank(example.b)) {
      ++set.empty;
    } else if (!known.insert(mining::text_key(cat(example.a.size(), " ", example.a), example.b))
                    .second) {
      ++set.repeated;
    } else {
      set.pairs.push_back(
          {std::move(example.a), std::move(example.b), std::move(example.negatives)});
    }
  }
  return set;
}

void write_pairs(const std::string& path, const std::vector<AdaptPair>& pairs) {
  std::string bytes;
  for (const AdaptPair& pair : pairs) {
    const Json row = {{"anchor", pair.anchor},
                      {"positive", pair.positive},
                      {"negatives", pair.negatives}};
    bytes += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  io::write_file_atomic(path, bytes);
}

std::vector<AdaptPair> read_pairs_back(const std::string& path) {
  Config config;
  config.set_json("data.format", "jsonl");
  const auto data = data::open_dataset(path, config);
  std::vector<AdaptPair> pairs;
  for (int64_t i = 0; i < data->size(); ++i) {
    data::Example example = data->get(i);
    pairs.push_back({std::move(example.a), std::move(example.b), std::move(example.negatives)});
  }
  return pairs;
}

}  // namespace contrastive::adapt
