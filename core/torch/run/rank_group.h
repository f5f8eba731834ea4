// The ranks that share a run, as seen by one of them. A run without ranks has a group of one,
// so the rest of the run needs no special case.
//
// Every rank calls the same functions in the same order. The group has no state that a checkpoint
// would need, so a run may be resumed with another number of ranks.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/batch.h"
#include "core/torch/dist/world.h"
#include "core/torch/run/update_source.h"

namespace contrastive::run {

// Names of figures with their values.
using Figures = std::vector<std::pair<std::string, double>>;

class RankGroup {
 public:
  explicit RankGroup(std::shared_ptr<dist::World> world)  // null: one rank
      : world_(std::move(world)) {}

  bool alone() const { return world_ == nullptr; }
  bool first() const { return alone() || world_->first(); }
  Share share() const { return alone() ? Share{} : Share{world_->rank(), world_->size()}; }
  const std::shared_ptr<dist::World>& world() const { return world_; }

  // Throws kCancelled on every rank if `cancel` is triggered on one, and kDistributed if the next
  // actions of the ranks differ. `place` describes the next action of this rank. It is called only
  // if there are several ranks.
  void agree(const Cancel* cancel, int64_t step, const std::function<std::string()>& place) const;
  // Throws kDistributed if a key or fact differs among the ranks, and names the first. Keys that
  // may depend on the machine are not compared.
  void compare(Config config, Json facts) const;
  // Runs `measure` on rank 0 only, and returns its result on every rank. Throws kCancelled if it
  // was cancelled there.
  Figures from_first(const std::function<Figures()>& measure, const std::string& doing) const;
  // Runs `action` on rank 0 only; the others wait.
  void on_first(const std::function<void()>& action, const std::string& doing) const;
  // Runs `body` on every rank, without synchronisation. kCancelled on all if it was cancelled on
  // one.
  void prepare(const std::function<void()>& body, int64_t step,
               const std::function<std::string()>& place) const;

 private:
  std::shared_ptr<dist::World> world_;
};

// A digest of a caller's batch, to compare the batches of the ranks.
std::string digest_of(const std::vector<data::Example>& batch);

// Runs `body` on this rank, and reports its error to the other ranks. `world` may be null.
template <class Body>
auto among_ranks(std::shared_ptr<dist::World> world, const Body& body) {
  if (world == nullptr) return body();
  try {
    return body();
  } catch (const Error& error) {
    if (error.status() != Status::kCancelled)
      world->leave(error.message());  // all ranks are cancelled together, and may continue
    throw;
  } catch (const std::exception& error) {
    world->leave(error.what());
    throw;
  }
}

}  // namespace contrastive::run
