#include "core/runtime/thread_pool.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>

#include "core/host/exit.h"
#include "core/host/fp_environment.h"
#include "core/runtime/threads.h"
#include "core/system/thread.h"
#include "core/system/wait.h"

namespace contrastive::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// How long an idle thread polls before it sleeps. Waking it takes about as long, which a quick
// succession of small pieces of work should not pay. Polling longer would take the processor away
// from other threads that have work.
constexpr std::chrono::microseconds kLook{80};
// How long to wait after the system refused to start a thread before asking again.
constexpr std::chrono::milliseconds kRefused{100};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

template <class Ready>
bool look_for(const Ready& ready) {
  if (ready()) return true;
  const Clock::time_point end = Clock::now() + kLook;
  do {
    for (int i = 0; i < 16; ++i) {
      relax();
      if (ready()) return true;
    }
  } while (Clock::now() < end);
  return false;
}

using system::sleep_while;
using system::wake;

// One piece of work, on its caller's stack. Only a thread that holds one of its items may access
// it.
struct Work {
  ItemBody body;
  uint32_t count;
  bool limited;  // the caller has a ThreadLimit, so an item runs on one thread
  std::atomic<bool> failed{false};
  std::exception_ptr error;  // written by the first to fail, read when all items are done
};

// A slot where one caller publishes one piece of work after another. The slot outlives the work, so
// a thread that comes late finds no items and does no harm.
class alignas(64) Place {
 public:
  // Only the owner calls this, when no item of the previous work is left. Returns the number of the
  // round.
  uint32_t publish(Work& work, int helpers) {
    most_helpers_.store(helpers, std::memory_order_relaxed);
    work_.store(&work, std::memory_order_relaxed);
    left_.store(work.count, std::memory_order_relaxed);
    state_.store(kRunning, std::memory_order_relaxed);
    const uint32_t round = round_of(ticket_.load(std::memory_order_relaxed)) + 1;
    ticket_.store(uint64_t{round} << 32 | work.count, std::memory_order_release);
    return round;
  }

  // Runs items of the round until none is left. Returns whether it ran any.
  bool run(uint32_t round) {
    bool any = false;
    for (uint64_t ticket = ticket_.load(std::memory_order_acquire);
         round_of(ticket) == round && untaken(ticket) > 0;) {
      if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel,
                                         std::memory_order_acquire))
        continue;
      Work& work = *work_.load(std::memory_order_relaxed);  // valid until this item is done
      any = true;
      run_item(work, work.count - untaken(ticket));
      ticket = ticket_.load(std::memory_order_acquire);
    }
    return any;
  }

  // The same for a thread of the pool. Does nothing if enough threads help already.
  bool help() {
    const uint64_t ticket = ticket_.load(std::memory_order_acquire);
    if (untaken(ticket) == 0) return false;
    const bool wanted = helpers_.fetch_add(1, std::memory_order_acq_rel) <
                        most_helpers_.load(std::memory_order_relaxed);
    const bool any = wanted && run(round_of(ticket));
    helpers_.fetch_sub(1, std::memory_order_acq_rel);
    return any;
  }

  void wait() {
    const auto done = [this] { return state_.load(std::memory_order_acquire) == kDone; };
    if (look_for(done)) return;
    uint32_t running = kRunning;
    if (!state_.compare_exchange_strong(running, kAsleep, std::memory_order_acq_rel)) return;
    while (!done()) sleep_while(state_, kAsleep);
  }

 private:
  enum State : uint32_t { kDone, kRunning, kAsleep };  // kAsleep: running, and the caller sleeps

  static uint32_t round_of(uint64_t ticket) { return static_cast<uint32_t>(ticket >> 32); }
  static uint32_t untaken(uint64_t ticket) { return static_cast<uint32_t>(ticket); }

  void run_item(Work& work, uint32_t item) {
    uint32_t finished = 1;
    try {
      const ThreadLimit one(work.limited ? 1 : 0);
      work.body(item);
    } catch (...) {
      if (!work.failed.exchange(true)) work.error = std::current_exception();
      finished += take_all();
    }
    if (left_.fetch_sub(finished, std::memory_order_acq_rel) != finished) return;
    if (state_.exchange(kDone, std::memory_order_acq_rel) == kAsleep) wake(state_, 1);
  }

  uint32_t take_all() {
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (!ticket_.compare_exchange_weak(ticket, ticket - untaken(ticket),
                                          std::memory_order_acq_rel, std::memory_order_acquire)) {
    }
    return untaken(ticket);
  }

  std::atomic<uint64_t> ticket_{0};  // upper half: the round; lower half: the number of items not
                                     // taken yet. A thread takes an item by decrementing it, if the
                                     // round is still the same
  std::atomic<Work*> work_{nullptr};
  std::atomic<uint32_t> left_{0};  // items that are not done
  std::atomic<uint32_t> state_{kDone};
  std::atomic<int> helpers_{0}, most_helpers_{0};
};

// Never destroyed: its threads sleep in it until the process ends. A child of fork() has none of
// the threads and starts with a new pool.
class ThreadPool {
 public:
  // Returns false if no thread could help: then the caller does the work alone.
  bool run(Work& work, int helpers) {
    if (started_.load(std::memory_order_relaxed) < helpers) start(helpers);
    if (started_.load(std::memory_order_relaxed) == 0) return false;
    const int number = occupy();
    if (number < 0) return false;
    Place& place = places_[number];
    const uint64_t bit = uint64_t{1} << number;
    const uint32_t round = place.publish(work, helpers);
    open_.fetch_or(bit, std::memory_order_release);
    published_.fetch_add(1);
    if (const int sleeping = sleeping_.load(); sleeping > 0)
      wake(published_, std::min(sleeping, helpers));
    place.run(round);
    open_.fetch_and(~bit, std::memory_order_relaxed);
    place.wait();
    occupied_.fetch_and(~bit, std::memory_order_release);
    return true;
  }

 private:
  static constexpr int kPlaces = 64;  // concurrent callers; any further one works alone

  int occupy() {
    uint64_t occupied = occupied_.load(std::memory_order_relaxed);
    while (~occupied != 0) {
      const int number = __builtin_ctzll(~occupied);
      if (occupied_.compare_exchange_weak(occupied, occupied | uint64_t{1} << number,
                                          std::memory_order_acquire, std::memory_order_relaxed))
        return number;
    }
    return -1;
  }

  // Starts threads until there are `wanted`, or until the system refuses.
  void start(int wanted) {
    const std::unique_lock<std::mutex> lock(starting_, std::try_to_lock);
    if (!lock.owns_lock() || Clock::now() < not_before_) return;
    while (started_.load(std::memory_order_relaxed) < wanted) {
      system::Thread thread;
      void* const number =
          reinterpret_cast<void*>(intptr_t{started_.load(std::memory_order_relaxed)});
      if (!system::start_own_thread(&serve_as, number, system::ThreadEnd::kDetached, thread)) {
        not_before_ = Clock::now() + kRefused;  // a limit on threads, or no memory
        return;
      }
      started_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  static void serve_as(void* number) noexcept;

  void serve(int number) noexcept {
    const host::FpEnvironment environment;  // a new thread inherits its creator's
    for (;;) {
      const uint32_t seen = published_.load();
      if (help(number)) continue;
      if (look_for([&] { return published_.load(std::memory_order_acquire) != seen; })) continue;
      sleeping_.fetch_add(1);  // before this thread rereads the word: a publisher changes the word
                               // first and reads sleeping_ after it
      sleep_while(published_, seen);
      sleeping_.fetch_sub(1);
    }
  }

  // Helps the callers in turn. Each thread begins with another one.
  bool help(int number) {
    const int first = number % kPlaces;
    const uint64_t open = open_.load(std::memory_order_acquire);
    uint64_t turned = first == 0 ? open : open >> first | open << (kPlaces - first);
    bool any = false;
    for (; turned != 0; turned &= turned - 1)
      any = places_[(__builtin_ctzll(turned) + first) % kPlaces].help() || any;
    return any;
  }

  Place places_[kPlaces];
  alignas(64) std::atomic<uint64_t> occupied_{0};  // slots with a caller
  alignas(64) std::atomic<uint64_t> open_{0};      // slots that may have items left
  alignas(64) std::atomic<uint32_t> published_{
      0};  // the number of published pieces of work: idle threads poll it and sleep on it
  std::atomic<int> sleeping_{0};
  std::atomic<int> started_{0};
  std::mutex starting_;
  Clock::time_point not_before_{};  // guarded by starting_
};

// Never destroyed: its threads sleep in it while the process ends.
union Kept {
  constexpr Kept() noexcept : pool() {}
  ~Kept() {}
  ThreadPool pool;
};
Kept kept;
ThreadPool& pool = kept.pool;

void ThreadPool::serve_as(void* number) noexcept {
  pool.serve(static_cast<int>(reinterpret_cast<intptr_t>(number)));
}

// After fork(), the child has only the calling thread, whatever the parent's other threads were
// doing. It must not wait for any of their work.
[[maybe_unused]] const bool watching_forks =
    system::watch_forks(nullptr, nullptr, [] { new (&pool) ThreadPool; });

}  // namespace

void parallel_for(int64_t count, ItemBody body, int most) {
  constexpr int64_t kMostItems = int64_t{1} << 30;  // in one round
  for (int64_t first = 0; first < count; first += kMostItems) {
    const int64_t items = std::min(count - first, kMostItems);
    const int helpers = static_cast<int>(std::min<int64_t>({items, most, threads()})) - 1;
    const auto item = [&](int64_t i) { body(first + i); };
    Work work{first == 0 ? body : ItemBody(item),
              static_cast<uint32_t>(items),
              has_thread_limit(),
              {},
              {}};
    if (helpers < 1 || !pool.run(work, helpers)) {
      for (int64_t i = 0; i < items; ++i) work.body(i);
    }
    if (work.error) std::rethrow_exception(work.error);
  }
  host::renew_exit_watch();  // long calls pass here often
}

}  // namespace contrastive::runtime
