// Gathers the texts of many requests into calls of the library: one thread takes what waits, up to
// a number of tokens, and embeds it together.
//
// Nobody waits for a batch to fill: while one is computed, the next gathers. A request of thousands
// of texts is taken in parts, beside the others. Of several batchers each has its own queue and
// thread; they share the counts.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "capi/program/serve/engine.h"
#include "capi/program/serve/metrics.h"

namespace contrastive::cli::serve {

// The texts of one request on their way, and what came of them.
struct Ticket {
  std::shared_ptr<const Engine> engine;
  Manner manner;
  std::vector<std::string> texts;
  std::vector<int32_t> tokens;                   // of each text, as far as it is embedded
  std::shared_ptr<std::atomic<bool>> abandoned;  // nobody waits for the answer any more
  std::function<void(std::shared_ptr<Ticket>)>
      done;  // called once, on the batcher's thread, unless the ticket was abandoned

  std::vector<float> embeddings;  // [texts.size(), engine->dimension(manner)]
  std::vector<int32_t> counts;    // tokens of each text before it was cut
  std::exception_ptr failure;     // set: there are no embeddings

  // The batcher's own.
  std::chrono::steady_clock::time_point deadline;
  size_t taken = 0, finished = 0;
  int64_t total_tokens = 0;
  bool large = false;  // more than one batch
};

class Batcher {
 public:
  // `cancel` ends what is being computed.
  Batcher(const Limits& limits, Metrics& metrics, const cs_cancel* cancel);
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Refusal 429 where too much waits already.
  void submit(std::shared_ptr<Ticket> ticket);
  // Every ticket that is left is answered 503.
  void give_up();

 private:
  struct Part {
    std::shared_ptr<Ticket> ticket;
    size_t first = 0, count = 0;
    int64_t tokens = 0;
  };

  void run();
  std::vector<Part> gather(std::vector<std::shared_ptr<Ticket>>& expired);  // under the lock
  void take(const std::shared_ptr<Ticket>& ticket, int64_t share, int64_t& budget,
            std::vector<Part>& parts);
  int64_t& queued(const Ticket& ticket) { return ticket.large ? large_tokens_ : small_tokens_; }
  int64_t queued_tokens() const { return large_tokens_ + small_tokens_; }
  void wait(const Ticket& ticket,
            int64_t tokens);          // so many more of its tokens wait; below 0: fewer
  void forget(const Ticket& ticket);  // its tokens that were not taken wait no longer
  void compute(const std::vector<Part>& parts);
  void embed(const Part* parts, size_t n);
  void finish(Part part, std::exception_ptr failure);
  static void answer(const std::shared_ptr<Ticket>& ticket);
  int retry_seconds() const;

  const Limits& limits_;
  Metrics& metrics_;
  const cs_cancel* const cancel_;
  std::mutex mutex_;
  std::condition_variable there_is_work_;
  std::deque<std::shared_ptr<Ticket>> queue_;
  int64_t large_tokens_ = 0,
          small_tokens_ = 0;  // that wait, of requests larger than a batch and of others
  bool ending_ = false, given_up_ = false;
  std::atomic<double> tokens_per_second_{0};  // of late
  std::thread thread_;
};

}  // namespace contrastive::cli::serve
