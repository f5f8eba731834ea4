// A few threads that run work from one queue, so that the network thread only does I/O.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace contrastive::cli::serve {

class Workers {
 public:
  explicit Workers(int threads);
  ~Workers();  // waits until everything that was posted has run
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // If `work` throws, a warning is printed, and the exchange that it held answers 500.
  void post(std::function<void()> work);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable there_is_work_;
  std::deque<std::function<void()>> queue_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace contrastive::cli::serve
