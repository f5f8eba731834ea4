// Batches the texts of many requests: one thread takes the waiting texts, up to a number of tokens,
// and embeds them in one call of the library.
//
// It does not wait for a batch to fill: while one is computed, the next one gathers. A request of
// thousands of texts is taken in parts, together with texts of other requests. Each batcher has its
// own queue and thread; all share the metrics.
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

// The texts of one request in the batcher, and their embeddings.
struct Ticket {
  std::shared_ptr<const Engine> engine;
  Manner manner;
  std::vector<std::string> texts;
  std::vector<int32_t> tokens;                   // of each text, after truncation
  std::shared_ptr<std::atomic<bool>> abandoned;  // true if the client has disconnected
  // Called once, on the batcher's thread, unless the ticket was abandoned.
  std::function<void(std::shared_ptr<Ticket>)> done;

  std::vector<float> embeddings;  // [texts.size(), engine->dimension(manner)]
  std::vector<int32_t> counts;    // tokens of each text before truncation
  std::exception_ptr failure;     // if set, there are no embeddings

  // Used by the batcher.
  std::chrono::steady_clock::time_point deadline;
  size_t taken = 0, finished = 0;
  int64_t total_tokens = 0;
  bool large = false;  // more than one batch
};

class Batcher {
 public:
  // `cancel` ends the running computation.
  Batcher(const Limits& limits, Metrics& metrics, const cs_cancel* cancel);
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Refusal 429 if the queue is full.
  void submit(std::shared_ptr<Ticket> ticket);
  // Answers every remaining ticket with 503.
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
  // Adds to the number of waiting tokens; `tokens` may be negative.
  void wait(const Ticket& ticket, int64_t tokens);
  // Subtracts the ticket's remaining tokens from the number of waiting tokens.
  void forget(const Ticket& ticket);
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
  // Waiting tokens of requests larger than a batch, and of all others.
  int64_t large_tokens_ = 0, small_tokens_ = 0;
  bool ending_ = false, given_up_ = false;
  std::atomic<double> tokens_per_second_{0};  // a recent average
  std::thread thread_;
};

}  // namespace contrastive::cli::serve
