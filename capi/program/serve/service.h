// What all requests share: the engine that is served now, the batcher, the workers, the keys and
// the counts.
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
  // Loads keys, model and corpus; a Failure says why it cannot.
  explicit Service(const ServeSettings& settings);

  const ServeSettings& settings() const { return settings_; }
  Metrics& metrics() { return metrics_; }
  const std::shared_ptr<Memory>& memory() const { return memory_; }
  // Lines of their own, so that what takes long holds up nobody: long requests are read as JSON and
  // tokenised; the model is read again.
  Workers& readers() { return readers_; }
  Workers& reloader() { return reloader_; }
  // Ends what is being computed, and what waits for it.
  void give_up();
  const cs_cancel* cancel() const { return cancel_.get(); }
  std::shared_ptr<const Engine> engine() const;
  bool allows(const std::string& authorization) const;

  // Reads keys, model and corpus again; what fails is said on standard error, and what was served
  // before goes on. On the reloader, one at a time.
  void reload();

  bool stopping() const { return stopping_; }
  void stop() { stopping_ = true; }

  // Embeds texts together with those of other requests. `finish` makes the answer: it takes as long
  // as `numbers` numbers and holds `answer_bytes` beside the embeddings. Refusal if it cannot
  // begin.
  void embed(const Exchange& exchange, std::shared_ptr<const Engine> engine, Manner manner,
             std::vector<std::string> texts, int64_t numbers, int64_t answer_bytes,
             std::function<Answer(const Ticket&)> finish);

 private:
  const ServeSettings& settings_;
  mutable std::mutex mutex_;  // of the two that a reload replaces
  ApiKeys keys_;
  std::shared_ptr<const Engine> engine_;
  std::atomic<bool> stopping_{false};
  Metrics metrics_;
  const std::shared_ptr<Memory>
      memory_;                 // connections give back what they hold after the service ended
  const CancelHandle cancel_;  // raised by give_up()
  Workers readers_, writers_, long_writers_,
      reloader_;  // end after the batchers, which post to them
  Batcher batcher_, long_texts_;
};

// {"prompt_tokens": n, "total_tokens": n} of what was embedded; cut texts are counted up to where
// they were cut.
Json usage_of(const Ticket& ticket);
// How many texts were cut, as a header of the answer.
void tell_cut_texts(const Ticket& ticket, Answer& answer);

}  // namespace contrastive::cli::serve
