// The ranks that share a run, as seen by one of them. It is an object that a trainer owns, so a
// process may have several. All ranks must call the same functions in the same order. An error on
// any rank becomes kDistributed on every rank within the time limit, and names the rank: a rank
// that fails says why (leave()), and one that ends or hangs is noticed because its heartbeats
// stop. After an error the world cannot be used any more.
//
// Not thread-safe. A separate thread sends the heartbeats.
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
  // The name in the store of the reason why the ranks cannot meet. All of them then fail with that
  // reason.
  static constexpr const char* kRefused = "refused";

  // Waits for all `link.size` ranks and connects them. kDistributed if one does not come in time,
  // comes twice, or has another number of ranks or another version. `serves`: the store ends with
  // this process, so its destructor waits for the other ranks.
  World(std::shared_ptr<Store> store, Link link, bool serves = false);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return link_.rank; }
  int size() const { return link_.size; }
  bool first() const { return link_.rank == 0; }
  Milliseconds timeout() const { return link_.timeout; }

  // Returns the bytes of every rank, in order. `doing`: the purpose, for messages ("to begin update
  // 3").
  std::vector<std::string> gather(const std::string& bytes, const std::string& doing);
  // The `from` [n] of every rank, [ranks * n]; on the CPU.
  at::Tensor gather(const at::Tensor& from, const std::string& doing);
  std::unique_ptr<Exchange> begin_all_gather(const at::Tensor& to, const at::Tensor& from,
                                             const std::string& doing);
  std::unique_ptr<Exchange> begin_all_to_all(const at::Tensor& to, const at::Tensor& from,
                                             const std::string& doing);
  void wait(Exchange& exchange, const std::string& doing);

  // Runs `body` on rank 0 only, and returns its result on all ranks. It may take longer than the
  // time limit: the others wait as long as rank 0 sends heartbeats.
  std::string from_first(const std::function<std::string()>& body, const std::string& doing);
  // A barrier: returns when every rank has called it. The others wait for a late rank as long as it
  // sends heartbeats.
  void meet(const std::string& doing);

  // Call if this rank fails for its own reason, which the others are then told.
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
  std::vector<int> silent_;                   // and which ranks sent no heartbeat
  int64_t said_ = 0, met_ = 0;

  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;  // guarded by mutex_
  host::HelperThreads heart_;
};

}  // namespace contrastive::dist
