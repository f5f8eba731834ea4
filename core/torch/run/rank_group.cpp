#include "core/torch/run/rank_group.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/base/affixes.h"
#include "core/data/example_hash.h"
#include "core/torch/run/card_options.h"
#include "core/torch/run/stages.h"

namespace contrastive::run {
namespace {

// Keys that may differ from rank to rank: paths of files on each machine, and files that only rank
// 0 writes.
bool own_of_rank(const std::string& key) {
  return key == "cache" || key == "metrics_file" || key == "metrics_csv" || key == "data_threads" ||
         key == "threads" || begins_with(key, "x-") || begins_with(key, CardOptions::kPrefix);
}

std::string shown(const Json& object, const std::string& key) {
  return object.contains(key) ? dump_ascii(object.at(key)) : "not set";
}

// "config key 'lr' is 0.1 on rank 0 and 0.2 on rank 1" for the first difference; "" if there is
// none.
std::string difference(const Json& first, const Json& other, size_t rank) {
  const auto differs = [&](const Json& a, const Json& b, const std::string& key,
                           const std::string& name) {
    return shown(a, key) == shown(b, key) ? ""
                                          : cat(name, " is ", shown(a, key), " on rank 0 and ",
                                                shown(b, key), " on rank ", rank);
  };
  Json keys = first.at("config");
  keys.update(other.at("config"));
  for (const auto& [key, value] : keys.items()) {
    const std::string found =
        differs(first.at("config"), other.at("config"), key, "config key '" + key + "'");
    if (!found.empty()) return found;
  }
  for (const auto& [key, value] : first.items()) {
    const std::string found = key == "config" ? "" : differs(first, other, key, key);
    if (!found.empty()) return found;
  }
  return "";
}

// Bit for bit, NaN too.
std::string written(const Figures& figures) {
  Json list = Json::array();
  for (const auto& [name, value] : figures) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%a", value);
    list.push_back({name, std::isnan(value) ? "nan" : digits});
  }
  return list.dump();
}

Figures read_figures(const std::string& text) {
  Figures figures;
  for (const Json& item : Json::parse(text)) {
    const auto value = item.at(1).get<std::string>();
    const double number = value == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                         : std::strtod(value.c_str(), nullptr);
    figures.emplace_back(item.at(0).get<std::string>(), number);
  }
  return figures;
}

constexpr const char* kCancelled = "cancelled";

}  // namespace

void RankGroup::agree(const Cancel* cancel, int64_t step,
                      const std::function<std::string()>& place) const {
  if (alone()) return throw_if_cancelled(cancel);
  const bool stop = is_cancelled(cancel);
  const auto all = world_->gather((stop ? "1" : "0") + place(), cat("to begin update ", step));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    check(all[rank].substr(1) == all[0].substr(1), Status::kDistributed,
          "the ranks are not at the same place: rank 0 is at ", all[0].substr(1), ", and rank ",
          rank, " at ", all[rank].substr(1));
  }
  for (const std::string& each : all) {
    if (each[0] == '1') fail(Status::kCancelled, "cancelled");
  }
}

void RankGroup::compare(Config config, Json facts) const {
  if (alone()) return;
  for (const std::string& key : config.keys()) {
    const auto of_stage = parse_stage_key(key);
    if (own_of_rank(of_stage ? of_stage->name : key)) config.erase(key);
  }
  facts["config"] = config.to_json();
  world_->meet("to compare what the ranks have");  // each reads its files without synchronisation
  const auto all = world_->gather(dump_ascii(facts), "to compare what the ranks have");
  const Json first = Json::parse(all[0]);
  for (size_t rank = 1; rank < all.size(); ++rank) {
    const std::string found = difference(first, Json::parse(all[rank]), rank);
    check(found.empty(), Status::kDistributed, "the ranks do not train the same run: ", found);
  }
}

Figures RankGroup::from_first(const std::function<Figures()>& measure,
                              const std::string& doing) const {
  if (alone()) return measure();
  const auto tell = [&]() -> std::string {
    try {
      return written(measure());
    } catch (const Error& error) {
      if (error.status() != Status::kCancelled) throw;
      return kCancelled;
    }
  };
  const std::string told = world_->from_first(tell, doing);
  if (told == kCancelled) fail(Status::kCancelled, "cancelled");
  return read_figures(told);
}

void RankGroup::on_first(const std::function<void()>& action, const std::string& doing) const {
  if (alone()) return action();
  const auto done = [&] {
    action();
    return std::string();
  };
  world_->from_first(done, doing);
}

void RankGroup::prepare(const std::function<void()>& body, int64_t step,
                        const std::function<std::string()>& place) const {
  if (alone()) return body();
  Cancel cancelled;
  try {
    body();
  } catch (const Error& error) {
    if (error.status() != Status::kCancelled) throw;
    cancelled.trigger();
  }
  world_->meet("to prepare the run");
  agree(&cancelled, step, place);
}

std::string digest_of(const std::vector<data::Example>& batch) {
  data::ContentHash hash;
  for (data::Example example : batch) {
    // Languages have different bits for a label that is not set.
    if (std::isnan(example.label)) example.label = std::numeric_limits<double>::quiet_NaN();
    data::add_example(hash, example);
  }
  return data::hash_text(hash.value());
}

}  // namespace contrastive::run
