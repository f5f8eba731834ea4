#include "capi/program/serve/workers.h"

#include <exception>
#include <string>
#include <utility>

#include "capi/program/terminal.h"

namespace contrastive::cli::serve {

Workers::Workers(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

Workers::~Workers() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  there_is_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::post(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(work));
  }
  there_is_work_.notify_one();
}

void Workers::run() {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      there_is_work_.wait(lock, [&] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    try {
      work();
    } catch (const std::exception& problem) {  // out of memory even for the answer
      print_warning(std::string("a request was lost: ") + problem.what());
    }
  }
}

}  // namespace contrastive::cli::serve
