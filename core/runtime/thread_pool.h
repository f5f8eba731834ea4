// The library's own threads. LibTorch's OpenMP pool serves one operation at a time and costs a fork and a join for each; this one hands a whole piece
// of work (a batch, or a share of every layer of one text) to a thread that is awake, and lets any number of callers run side by side: whoever
// finds no idle thread works alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace contrastive::runtime {

// The threads that run one piece of work together. Rank 0 is the caller.
class Team {
 public:
  Team() = default;  // a team of one
  Team(int rank, int size, struct TeamState* state) : rank_(rank), size_(size), state_(state) {}
  int rank() const { return rank_; }
  int size() const { return size_; }
  // Returns when all have come here. Throws (to unwind this thread) when another member of the team has thrown.
  void barrier();
  // This member's share [begin, end) of `count` items, in whole multiples of `grain`.
  struct Share {
    int64_t begin, end;
  };
  Share share(int64_t count, int64_t grain = 1) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  struct TeamState* state_ = nullptr;
};

// Runs `body` on up to `most` threads at once (the caller and idle threads of the pool, threads() in all) and returns when all have finished; the
// first exception is thrown again here. The number of threads is a matter of luck: results must not depend on it.
void run_team(int most, const std::function<void(Team&)>& body);

// Runs `body(i)` for i in [0, count), each once, on up to threads() threads. After an exception no new item is begun.
void parallel_for(int64_t count, const std::function<void(int64_t)>& body);

// Whether the calling thread is one of the pool's own.
bool on_pool_thread();

}  // namespace contrastive::runtime
