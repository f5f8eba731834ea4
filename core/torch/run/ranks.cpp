#include "core/torch/run/ranks.h"

#include <map>
#include <mutex>
#include <utility>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/dist/connections.h"
#include "core/torch/dist/dist_options.h"
#include "core/torch/dist/local_address.h"
#include "core/torch/dist/seat.h"
#include "core/torch/dist/store.h"
#include "core/torch/dist/world.h"
#include "core/torch/run/group_trainer.h"
#include "core/torch/run/stages.h"
#include "core/torch/run/training_run.h"

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

// How many runs this process has already started as `rank` with this store. A store may outlive a
// run, and a process may be several ranks.
int earlier_runs(const std::string& store, int rank) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, int> begun;
  const std::lock_guard<std::mutex> lock(mutex);
  return begun[{store, rank}]++;
}

std::shared_ptr<dist::World> join_world(const dist::Options& options) {
  dist::Seat seat = dist::find_seat(options, dist::process_environment());
  const Milliseconds timeout = timeout_of(options);
  // Runs with the same store have different names, in the order in which every rank starts them.
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

// Calls `make(world)` in a process that is one rank of a world described by keys or a launcher.
template <class Make>
std::unique_ptr<training::Trainer> make_rank(const dist::Options& options, const Make& make) {
  if (options.mode == dist::Mode::kOff) return make(nullptr);
  return make(join_world(options));
}

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

}  // namespace contrastive::run
