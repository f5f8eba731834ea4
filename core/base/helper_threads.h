// Threads that help their owner with a piece of work. The system may grant none (a limit on processes, no memory): work must get done without them.
#pragma once

#include <cstdint>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace contrastive {

// Joins its threads when it goes: declare it after everything that they use.
class HelperThreads {
 public:
  HelperThreads() = default;
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;
  ~HelperThreads() { join(); }

  // Starts a thread that runs `body`, which must not throw. False where the system grants no thread: whoever asked goes on with those there are.
  template <class Body>
  bool start(Body&& body) noexcept {
    try {
      threads_.reserve(threads_.size() + 1);  // a thread that runs must not be lost
      threads_.emplace_back(std::forward<Body>(body));
      return true;
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  int64_t size() const noexcept { return static_cast<int64_t>(threads_.size()); }

  void join() noexcept {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace contrastive
