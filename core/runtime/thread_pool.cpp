#include "core/runtime/thread_pool.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/runtime/fp_environment.h"
#include "core/runtime/threads.h"

namespace contrastive::runtime {

struct TeamState {
  const std::function<void(Team&)>* body = nullptr;
  std::atomic<int> waiting{0};      // members in the barrier
  std::atomic<int> round{0};        // barriers passed
  std::atomic<int> running{0};      // helpers that have not finished
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr error;         // the first one, under mutex
};

namespace {

thread_local bool of_pool = false;


// How long a thread looks for work before it sleeps. Waking it costs tens of microseconds, which calls in quick succession should not pay.
constexpr int kSpins = 4000;
constexpr int kBarrierSpins = 1000;  // some 40 microseconds: members arrive nearly together unless one has lost its processor

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

struct TeamFailed : std::exception {
  const char* what() const noexcept override { return "another member of the team has failed"; }
};

void run_member(Team& team, TeamState& state) {
  try {
    (*state.body)(team);
  } catch (const TeamFailed&) {
    // The member that caused it has kept its exception.
  } catch (...) {
    std::lock_guard<std::mutex> lock(state.mutex);
    if (!state.error) state.error = std::current_exception();
    state.failed.store(true);
  }
}

class Worker {
 public:
  void give(Team team, TeamState* state) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      team_ = team;
      state_.store(state, std::memory_order_release);
    }
    wake_.notify_one();
  }
  TeamState* wait(Team& team) {
    for (int i = 0; i < kSpins && state_.load(std::memory_order_acquire) == nullptr; ++i) relax();
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait(lock, [&] { return state_.load(std::memory_order_relaxed) != nullptr; });
    team = team_;
    return state_.exchange(nullptr);
  }

 private:
  std::atomic<TeamState*> state_{nullptr};
  Team team_;
  std::mutex mutex_;
  std::condition_variable wake_;
};

class ThreadPool {
 public:
  // Up to `count` idle workers; starts threads while there are fewer than the process may use and the system grants them.
  std::vector<Worker*> take(int count) {
    std::lock_guard<std::mutex> lock(mutex_);
    while (static_cast<int>(idle_.size()) < count && started_ < threads() - 1 && start()) {
    }
    const size_t taken = std::min(idle_.size(), static_cast<size_t>(count));
    std::vector<Worker*> workers(idle_.end() - static_cast<std::ptrdiff_t>(taken), idle_.end());
    idle_.resize(idle_.size() - taken);
    return workers;
  }

 private:
  bool start() {
    try {
      auto worker = std::make_unique<Worker>();
      idle_.reserve(static_cast<size_t>(started_) + 1);  // room for all: becoming idle again allocates nothing
      std::thread(&ThreadPool::serve, this, worker.get()).detach();
      idle_.push_back(worker.release());  // lives as long as its thread: as long as the process
      ++started_;
      return true;
    } catch (const std::system_error&) {  // a limit on threads: the caller works with those there are, alone if need be
      return false;
    }
  }

  void serve(Worker* worker) noexcept {
    const FpEnvironment environment;  // a new thread inherits its creator's
    of_pool = true;
    for (;;) {
      Team team;
      TeamState* state = worker->wait(team);
      run_member(team, *state);
      {
        // Idle again before the caller can return, so that its next call finds this thread.
        std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(worker);
      }
      // The caller may destroy `state` as soon as it sees zero; the lock keeps it alive until notify_one has returned.
      std::lock_guard<std::mutex> lock(state->mutex);
      if (state->running.fetch_sub(1) == 1) state->finished.notify_one();
    }
  }

  std::mutex mutex_;
  std::vector<Worker*> idle_;
  int started_ = 0;
};

// Never destroyed: its threads sleep in it until the process ends. A child of fork() has none of them and gets a pool of its own.
ThreadPool& pool() {
  static std::mutex mutex;
  static pid_t owner = 0;
  static ThreadPool* current = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (owner != getpid()) {
    owner = getpid();
    current = new ThreadPool;
  }
  return *current;
}

void wait_for_helpers(TeamState& state) {
  for (int i = 0; i < kSpins && state.running.load(std::memory_order_acquire) != 0; ++i) relax();
  std::unique_lock<std::mutex> lock(state.mutex);
  state.finished.wait(lock, [&] { return state.running.load() == 0; });
}

}  // namespace

void Team::barrier() {
  if (size_ == 1) return;
  const int round = state_->round.load(std::memory_order_acquire);
  if (state_->waiting.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    state_->waiting.store(0, std::memory_order_relaxed);
    state_->round.store(round + 1, std::memory_order_release);
    return;
  }
  for (int spins = 0; state_->round.load(std::memory_order_acquire) == round; ++spins) {
    if (state_->failed.load(std::memory_order_relaxed)) throw TeamFailed();
    // On a crowded machine the others may be waiting for this very processor.
    spins < kBarrierSpins ? relax() : std::this_thread::yield();
  }
}

Team::Share Team::share(int64_t count, int64_t grain) const {
  const int64_t grains = (count + grain - 1) / grain;
  return {std::min(count, grains * rank_ / size_ * grain), std::min(count, grains * (rank_ + 1) / size_ * grain)};
}

void run_team(int most, const std::function<void(Team&)>& body) {
  const int wanted = std::min(most, threads()) - 1;
  std::vector<Worker*> workers;
  if (wanted > 0) workers = pool().take(wanted);
  TeamState state;
  state.body = &body;
  const int size = static_cast<int>(workers.size()) + 1;
  state.running.store(size - 1);
  for (int i = 1; i < size; ++i) workers[static_cast<size_t>(i - 1)]->give(Team(i, size, &state), &state);
  Team mine(0, size, &state);
  run_member(mine, state);
  if (size > 1) wait_for_helpers(state);
  if (state.error) std::rethrow_exception(state.error);
}

void parallel_for(int64_t count, const std::function<void(int64_t)>& body) {
  std::atomic<int64_t> next{0};
  const int most = static_cast<int>(std::min<int64_t>(count, threads()));
  run_team(std::max(most, 1), [&](Team&) {
    for (int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        body(i);
      } catch (...) {
        next.store(count);  // nobody begins another item
        throw;
      }
    }
  });
}

bool on_pool_thread() { return of_pool; }

}  // namespace contrastive::runtime
