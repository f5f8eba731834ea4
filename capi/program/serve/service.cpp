#include "capi/program/serve/service.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "capi/program/failure.h"

namespace contrastive::cli::serve {
namespace {

constexpr int kReaderThreads = 2, kWriterThreads = 1, kLongWriterThreads = 2;
constexpr int64_t kLongAnswer = 1 << 17;  // numbers
// Bytes of a text that has its own batcher: tokenising it takes long, and nearly all of it is cut.
constexpr size_t kLongText = 64 << 10;

int64_t cut_texts(const Ticket& ticket) {
  int64_t cut = 0;
  for (const int32_t count : ticket.counts) cut += count > ticket.engine->max_length() ? 1 : 0;
  return cut;
}

int64_t embedded_tokens(const Ticket& ticket) {
  int64_t tokens = 0;
  for (const int32_t count : ticket.counts) tokens += std::min(count, ticket.engine->max_length());
  return tokens;
}

}  // namespace

Service::Service(const ServeSettings& settings)
    : settings_(settings), keys_(ApiKeys::read(settings.api_key_file)),
      engine_(Engine::load(settings)),
      memory_(std::make_shared<Memory>(settings.limits.memory_bytes)),
      cancel_(cs_cancel_new(nullptr)), readers_(kReaderThreads), writers_(kWriterThreads),
      long_writers_(kLongWriterThreads), reloader_(1),
      batcher_(settings.limits, metrics_, cancel_.get()),
      long_texts_(settings.limits, metrics_, cancel_.get()) {}

void Service::give_up() {
  cs_cancel_trigger(cancel_.get());
  batcher_.give_up();
  long_texts_.give_up();
}

std::shared_ptr<const Engine> Service::engine() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return engine_;
}

bool Service::allows(const std::string& authorization) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return keys_.allow(authorization);
}

void Service::reload() {
  try {
    ApiKeys keys = ApiKeys::read(settings_.api_key_file);
    std::shared_ptr<const Engine> engine = Engine::load(settings_);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::swap(keys_, keys);
      engine_.swap(engine);
    }
    metrics_.reloaded(true);
    if (settings_.log_requests) std::fprintf(stderr, "reloaded\n");
  } catch (const Failure& failure) {
    metrics_.reloaded(false);
    print_warning("the reload failed, and the old model and keys stay in use: " +
                  (failure.file.empty() ? "" : failure.file + ": ") + failure.message);
  } catch (const std::exception& problem) {
    metrics_.reloaded(false);
    print_warning(std::string("the reload failed, and the old model and keys stay in use: ") +
                  problem.what());
  }
}

void Service::embed(const Exchange& exchange, std::shared_ptr<const Engine> engine, Manner manner,
                    std::vector<std::string> texts, int64_t numbers, int64_t answer_bytes,
                    std::function<Answer(const Ticket&)> finish) {
  exchange.request().memory->require(static_cast<int64_t>(texts.size() * sizeof(float)) *
                                         engine->dimension(manner) +
                                     answer_bytes);
  auto ticket = std::make_shared<Ticket>();
  ticket->engine = std::move(engine);
  ticket->manner = std::move(manner);
  ticket->texts = std::move(texts);
  ticket->abandoned = exchange.request().abandoned;
  bool long_text = false;
  for (const std::string& text : ticket->texts) {
    ticket->tokens.push_back(ticket->engine->count_tokens(text));
    long_text = long_text || text.size() > kLongText;
  }
  Workers& writers = numbers > kLongAnswer ? long_writers_ : writers_;
  ticket->done = [this, exchange, &writers,
                  finish = std::move(finish)](const std::shared_ptr<Ticket>& done) {
    writers.post([this, exchange, finish, done] {
      exchange.answer_with([&] {
        if (done->failure != nullptr) std::rethrow_exception(done->failure);
        metrics_.texts += static_cast<int64_t>(done->texts.size());
        metrics_.tokens += embedded_tokens(*done);
        metrics_.cut_texts += cut_texts(*done);
        Answer answer = finish(*done);
        tell_cut_texts(*done, answer);
        return answer;
      });
    });
  };
  (long_text ? long_texts_ : batcher_).submit(std::move(ticket));
}

Json usage_of(const Ticket& ticket) {
  const int64_t tokens = embedded_tokens(ticket);
  return {{"prompt_tokens", tokens}, {"total_tokens", tokens}};
}

void tell_cut_texts(const Ticket& ticket, Answer& answer) {
  const int64_t cut = cut_texts(ticket);
  if (cut > 0) answer.headers.emplace_back("Contrastive-Cut-Texts", std::to_string(cut));
}

}  // namespace contrastive::cli::serve
