// Threads that help their owner with a piece of work. The system may refuse threads (a limit on
// processes, no memory), so the work must get done without them.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/system/thread.h"

namespace contrastive::host {

// Joins its threads when it is destroyed: declare it after everything that they use.
class HelperThreads {
 public:
  HelperThreads() = default;
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;
  ~HelperThreads() { join(); }

  // Starts a thread that runs `body`, which must not throw. False if the system grants no thread:
  // continue with those there are.
  template <class Body>
  bool start(Body&& body) noexcept {
    try {
      threads_.reserve(threads_.size() + 1);  // a thread that runs must not be lost
      auto work = std::make_unique<Work>(std::forward<Body>(body));
      system::Thread thread;
      if (!system::start_own_thread(&run, work.get(), system::ThreadEnd::kJoined, thread))
        return false;
      work.release();
      threads_.push_back(thread);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  int64_t size() const noexcept { return static_cast<int64_t>(threads_.size()); }

  void join() noexcept {
    for (const system::Thread thread : threads_) system::join(thread);
    threads_.clear();
  }

 private:
  using Work = std::function<void()>;
  static void run(void* work) noexcept { (*std::unique_ptr<Work>(static_cast<Work*>(work)))(); }

  std::vector<system::Thread> threads_;
};

// Runs `body` on an own thread and waits for it. Threads that a foreign library starts there
// inherit its mask, and so take none of the host's signals. What `body` throws is thrown here.
// False if the system grants no thread: then `body` has not run.
template <class Body>
[[nodiscard]] bool run_on_own_thread(Body&& body) {
  std::exception_ptr error;
  HelperThreads thread;
  const bool started = thread.start([&]() noexcept {
    try {
      body();
    } catch (...) {
      error = std::current_exception();
    }
  });
  thread.join();
  if (error) std::rethrow_exception(error);
  return started;
}

}  // namespace contrastive::host
