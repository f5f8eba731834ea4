// The ranks that share a run, as one of them sees it: a value that a trainer holds, so that a
// process may be in several. All ranks call the same functions in the same order. Whatever goes
// wrong anywhere is kDistributed on every rank within the time limit, and names the rank: a rank
// that fails says why (leave()), one that ends or hangs is found by its silence. After an error the
// world is of no use any more.
//
// One thread at a time; a thread of its own gives the sign of life.
#pragma once

#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/host/helper_threads.h"
#include "core/torch/dist/connections.h"
#include "core/torch/dist/store.h"

namespace contrastive::dist {

class World {
 public:
  // In the store: why the ranks cannot meet. All of them then fail with it.
  static constexpr const char* kRefused = "refused";

  // Waits for all `link.size` ranks, and connects them. kDistributed: one does not come in time,
  // comes twice, or has another number of ranks or version. `serves`: the store ends with this
  // process, which therefore waits for the others when it goes.
  World(std::shared_ptr<Store> store, Link link, bool serves = false);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return link_.rank; }
  int size() const { return link_.size; }
  bool first() const { return link_.rank == 0; }
  Milliseconds timeout() const { return link_.timeout; }

  // The bytes of every rank, in their order. `doing`: what for, in messages ("to begin update 3").
  std::vector<std::string> gather(const std::string& bytes, const std::string& doing);
  // The `from` [n] of every rank, [ranks * n]; on the CPU.
  at::Tensor gather(const at::Tensor& from, const std::string& doing);
  std::unique_ptr<Exchange> begin_all_gather(const at::Tensor& to, const at::Tensor& from,
                                             const std::string& doing);
  std::unique_ptr<Exchange> begin_all_to_all(const at::Tensor& to, const at::Tensor& from,
                                             const std::string& doing);
  void wait(Exchange& exchange, const std::string& doing);

  // What `body` returns on rank 0, where it alone runs. It may take longer than the time limit: the
  // others wait for as long as rank 0 gives a sign of life.
  std::string from_first(const std::function<std::string()>& body, const std::string& doing);
  // Returns when every rank has come here; the others wait for one that is late for as long as it
  // gives a sign of life.
  void meet(const std::string& doing);

  // This rank fails for a reason of its own, which the others are told.
  void leave(const std::string& why) noexcept;

 private:
  void check_in();
  void leave_loopback();
  void end_beat();
  std::string beat_of(int rank);
  void await(const std::string& name, int owner, const std::string& doing);
  void drop_connections() noexcept;
  void look_for_trouble(const std::string& doing);
  [[noreturn]] void lose(const std::string& doing, const std::string& cause);
  std::string find_culprit(const std::string& doing, const std::string& cause);

  const std::shared_ptr<Store> store_;
  Link link_;
  const bool serves_;
  const Milliseconds beat_every_;
  std::unique_ptr<Connections> connections_;  // null once the world is broken
  std::string broken_;                        // why
  std::vector<int> silent_;                   // then: who gave no sign of life
  int64_t said_ = 0, met_ = 0;

  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;  // guarded by mutex_
  host::HelperThreads heart_;
};

}  // namespace contrastive::dist
