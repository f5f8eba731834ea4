// Shared by all requests: the current engine, the batchers, the workers, the keys and the metrics.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capi/program/serve/api_key.h"
#include "capi/program/serve/batcher.h"
#include "capi/program/serve/exchange.h"
#include "capi/program/serve/memory.h"
#include "capi/program/serve/workers.h"

namespace contrastive::cli::serve {

class Service {
 public:
  // Loads keys, model and corpus. A Failure if it cannot.
  explicit Service(const ServeSettings& settings);

  const ServeSettings& settings() const { return settings_; }
  Metrics& metrics() { return metrics_; }
  const std::shared_ptr<Memory>& memory() const { return memory_; }
  // Separate queues for slow work, so that it does not delay other requests: parsing and tokenising
  // long requests, and reloading the model.
  Workers& readers() { return readers_; }
  Workers& reloader() { return reloader_; }
  // Cancels the running computation and all waiting requests.
  void give_up();
  const cs_cancel* cancel() const { return cancel_.get(); }
  std::shared_ptr<const Engine> engine() const;
  bool allows(const std::string& authorization) const;

  // Reads keys, model and corpus again. If that fails, reports it on standard error and keeps the
  // old ones. Runs on the reloader, one at a time.
  void reload();

  bool stopping() const { return stopping_; }
  void stop() { stopping_ = true; }

  // Embeds texts together with those of other requests. `finish` makes the answer. It takes as long
  // as writing `numbers` numbers, and needs `answer_bytes` in addition to the embeddings. Refusal
  // if the request cannot start.
  void embed(const Exchange& exchange, std::shared_ptr<const Engine> engine, Manner manner,
             std::vector<std::string> texts, int64_t numbers, int64_t answer_bytes,
             std::function<Answer(const Ticket&)> finish);

 private:
  const ServeSettings& settings_;
  mutable std::mutex mutex_;  // protects keys_ and engine_, which a reload replaces
  ApiKeys keys_;
  std::shared_ptr<const Engine> engine_;
  std::atomic<bool> stopping_{false};
  Metrics metrics_;
  // Shared, because connections release their memory after the service has ended.
  const std::shared_ptr<Memory> memory_;
  const CancelHandle cancel_;  // set by give_up()
  // The batchers post to these workers, so the workers are declared first and destroyed last.
  Workers readers_, writers_, long_writers_, reloader_;
  Batcher batcher_, long_texts_;
};

// {"prompt_tokens": n, "total_tokens": n} for the embedded tokens, without the truncated parts.
Json usage_of(const Ticket& ticket);
// Adds a header with the number of truncated texts to the answer.
void tell_cut_texts(const Ticket& ticket, Answer& answer);

}  // namespace contrastive::cli::serve
