#include "core/torch/run/ranks.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/sha256.h"
#include "core/torch/dist/local_address.h"
#include "core/torch/dist/dist_options.h"
#include "core/torch/dist/seat.h"
#include "core/torch/run/cut_encoder.h"
#include "core/torch/run/group_trainer.h"
#include "core/torch/run/trainer_state.h"

namespace contrastive::run {
namespace {

using dist::Milliseconds;

dist::Options read_rank_keys(const Config& config) {
  for (const std::string& key : config.keys()) {
    const auto of_stage = parse_stage_key(key);
    const bool rank_key = of_stage && begins_with(of_stage->name, dist::Options::kPrefix);
    check(!rank_key, Status::kArgument, "config key '", key, "': all stages have the same ranks");
    if (begins_with(key, dist::Options::kPrefix)) {
      Config one;
      one.set_json(key, *config.find(key));
      reject_unknown_keys(one, dist::describe_options());
    }
  }
  return dist::read_options(config);
}

Milliseconds timeout_of(const dist::Options& options) {
  return Milliseconds(static_cast<int64_t>(options.timeout * 1000));
}

// How many runs this process began before as `rank` beside this store. A store may outlive a run,
// and a process may be several ranks.
int earlier_runs(const std::string& store, int rank) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, int> begun;
  const std::lock_guard<std::mutex> lock(mutex);
  return begun[{store, rank}]++;
}

std::shared_ptr<dist::World> join_world(const dist::Options& options) {
  dist::Seat seat = dist::find_seat(options, dist::process_environment());
  const Milliseconds timeout = timeout_of(options);
  // Runs beside one store have names of their own, in the order that every rank begins them in.
  seat.store.prefix += cat("run-", earlier_runs(seat.store.text(), seat.rank));
  const auto store = dist::Store::at(seat.store, seat.rank, seat.size, timeout);
  dist::Link link{seat.rank, seat.size, timeout, options.interface, ""};
  if (!seat.store.host.empty()) {
    link.address = dist::local_address(seat.store.host);
    link.meeting = dist::address_of(seat.store.host);
  }
  const bool serves = seat.rank == 0 && seat.store.path.empty() && !seat.store.served_elsewhere;
  auto world = std::make_shared<dist::World>(store, link, serves);
  log_info("rank ", seat.rank, " of ", seat.size,
           seat.launcher.empty() ? "" : ", as " + seat.launcher + " says", ": all ranks met at ",
           seat.store.text());
  return world;
}

// `make(world)`, in the process that is one rank of a world that keys or a launcher describe.
template <class Make>
std::unique_ptr<training::Trainer> make_rank(const dist::Options& options, const Make& make) {
  if (options.mode == dist::Mode::kOff) return make(nullptr);
  return make(join_world(options));
}

// A digest of everything that a rank computes with.
std::string digest_of(const std::vector<methods::Parameter>& parameters) {
  Sha256 digest;
  for (const methods::Parameter& parameter : parameters) {
    const at::Tensor here = parameter.tensor.detach().cpu().contiguous();
    digest.update(parameter.name);
    digest.update({static_cast<const char*>(here.const_data_ptr()), here.nbytes()});
  }
  return digest.hex();
}

std::string digest_of(const std::vector<data::Example>& batch) {
  Sha256 digest;
  const auto add = [&](const std::string& text) {
    digest.update(cat(text.size(), ":"));
    digest.update(text);
  };
  for (const data::Example& example : batch) {
    add(example.a);
    add(example.has_b ? "b" + example.b : "");
    add(std::isnan(example.label) ? "" : cat(example.label));
    for (const std::string& negative : example.negatives) add(negative);
    for (const double score : example.scores)
      add({reinterpret_cast<const char*>(&score), sizeof score});
  }
  return digest.hex().substr(0, 16);
}

// Keys that may differ from rank to rank: where a machine keeps what, and what only rank 0 writes.
bool own_of_rank(const std::string& key) {
  return key == "cache" || key == "metrics_file" || key == "metrics_csv" || key == "data_threads" ||
         begins_with(key, "x-") || begins_with(key, CardOptions::kPrefix);
}

std::string shown(const Json& object, const std::string& key) {
  return object.contains(key) ? dump_ascii(object.at(key)) : "not set";
}

// "config key 'lr' is 0.1 on rank 0 and 0.2 on rank 1" for the first difference; "" where there is
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
std::string written(const std::vector<std::pair<std::string, double>>& figures) {
  Json list = Json::array();
  for (const auto& [name, value] : figures) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%a", value);
    list.push_back({name, std::isnan(value) ? "nan" : digits});
  }
  return list.dump();
}

std::vector<std::pair<std::string, double>> read_figures(const std::string& text) {
  std::vector<std::pair<std::string, double>> figures;
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

void check_rank_keys(const Config& config) {
  const dist::Options options = read_rank_keys(config);
  if (options.mode == dist::Mode::kEnv) dist::find_seat(options, dist::process_environment());
}

std::unique_ptr<training::Trainer> make_trainer(std::shared_ptr<model::Model> model,
                                                std::shared_ptr<const data::Dataset> data,
                                                const Config& config) {
  const dist::Options options = read_rank_keys(config);
  const Config rest = dist::without_options(config);
  if (options.mode == dist::Mode::kThreads) {
    check_config(rest, data);  // once, and not by every rank
    return std::make_unique<GroupTrainer>(options.devices, timeout_of(options), std::move(model),
                                          [=](auto own, auto world) {
                                            return std::make_unique<TrainingRun>(std::move(own),
                                                                                 data, rest,
                                                                                 std::move(world));
                                          });
  }
  return make_rank(options, [&](std::shared_ptr<dist::World> world) {
    return std::make_unique<TrainingRun>(model, data, rest, std::move(world));
  });
}

std::unique_ptr<training::Trainer> resume_trainer(const std::string& path,
                                                  std::shared_ptr<model::Model> model,
                                                  std::shared_ptr<const data::Dataset> data,
                                                  const Config& overrides) {
  const dist::Options options = read_rank_keys(overrides);
  const Config rest = dist::without_options(overrides);
  if (options.mode == dist::Mode::kThreads) {
    return std::make_unique<GroupTrainer>(options.devices, timeout_of(options), std::move(model),
                                          [=](auto own, auto world) {
                                            return TrainingRun::resume(path, std::move(own), data,
                                                                       rest, std::move(world));
                                          });
  }
  return make_rank(options, [&](std::shared_ptr<dist::World> world) {
    return TrainingRun::resume(path, model, data, rest, std::move(world));
  });
}

void TrainingRun::State::agree(const Cancel* cancel,
                               const std::vector<data::Example>* batch) const {
  if (world == nullptr) return throw_if_cancelled(cancel);
  std::string place =
      cat("update ", step, stages.staged() ? cat(" of stage ", stage + 1) : std::string());
  if (source) place += cat(", batch ", source->position(), " of epoch ", source->epoch());
  if (batch != nullptr)
    place += cat(", a batch of ", batch->size(), " examples with the digest ", digest_of(*batch));
  const bool stop = is_cancelled(cancel);
  const auto all = world->gather((stop ? "1" : "0") + place, cat("to begin update ", step));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    check(all[rank].substr(1) == all[0].substr(1), Status::kDistributed,
          "the ranks are not at the same place: rank 0 is at ", all[0].substr(1), ", and rank ",
          rank, " at ", all[rank].substr(1));
  }
  for (const std::string& each : all) {
    if (each[0] == '1') fail(Status::kCancelled, "cancelled");
  }
}

void TrainingRun::State::compare_ranks() const {
  if (world == nullptr) return;
  Config shared = stages.staged() ? resolved_stages(stages) : config.complete;
  for (const std::string& key : shared.keys()) {
    const auto of_stage = parse_stage_key(key);
    if (own_of_rank(of_stage ? of_stage->name : key)) shared.erase(key);
  }
  const Json own = {{"config", shared.to_json()},
                    {"the data's fingerprint", data == nullptr ? "none" : data->fingerprint()},
                    {"the fingerprints of the next stages' data",
                     stages.staged() ? Json(fingerprints(stages)) : Json()},
                    {"the model's fingerprint", start->fingerprint()},
                    {"the update to begin with", step},
                    {"the digest of the weights", digest_of(parameters)}};
  world->meet("to compare what the ranks have");  // each reads its files in its own time
  const auto all = world->gather(dump_ascii(own), "to compare what the ranks have");
  const Json first = Json::parse(all[0]);
  for (size_t rank = 1; rank < all.size(); ++rank) {
    const std::string found = difference(first, Json::parse(all[rank]), rank);
    check(found.empty(), Status::kDistributed, "the ranks do not train the same run: ", found);
  }
}

PairScorer TrainingRun::State::pair_scorer(const Cancel* cancel) const {
  return {method->labels(), [this, cancel](const std::vector<model::TextPair>& pairs, float* out) {
            method->score(pairs, out, cancel);
          }};
}

// By rank 0 alone; the others are told.
std::vector<std::pair<std::string, double>> TrainingRun::State::measured(
    bool on_dev, bool on_tasks, const Cancel* cancel) const {
  const auto measure = [&] {
    std::vector<std::pair<std::string, double>> figures;
    if (on_tasks) figures = tasks.run(*method->deliver(), cancel);
    if (on_dev && config.traits.gives != methods::Gives::kVectors)
      figures.emplace_back(TrainOptions::kDevFile, score_of(pair_scorer(cancel), cancel));
    if (on_dev && config.traits.gives == methods::Gives::kVectors) {
      const auto embed = [&](const std::vector<std::string_view>& texts, float* out) {
        method->embed(texts, out, cancel);
      };
      const eval::TextEncoder encoder{method->dimension(), embed};
      const std::vector<int64_t> cuts = cut_dimensions();
      if (cuts.empty()) {
        figures.emplace_back(TrainOptions::kDevFile, score_of(encoder, cancel));
        return figures;
      }
      CutEncoder remembered(encoder);
      figures.emplace_back(TrainOptions::kDevFile,
                           score_of(remembered.at(encoder.dimension), cancel));
      for (const int64_t cut : cuts)
        figures.emplace_back(dev_figure(cut), score_of(remembered.at(cut), cancel));
    }
    return figures;
  };
  if (world == nullptr) return measure();
  const auto tell = [&]() -> std::string {
    try {
      return written(measure());
    } catch (const Error& error) {
      if (error.status() != Status::kCancelled) throw;
      return kCancelled;
    }
  };
  const std::string told =
      world->from_first(tell, cat("while rank 0 evaluates after update ", step));
  if (told == kCancelled) fail(Status::kCancelled, "cancelled");
  return read_figures(told);
}

}  // namespace contrastive::run
