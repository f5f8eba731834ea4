#include "capi/program/serve/batcher.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "capi/program/serve/answer.h"

namespace contrastive::cli::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNewWeight = 0.2;  // of the last batch in the average rate
constexpr double kMaxRetrySeconds = 60;

}  // namespace

Batcher::Batcher(const Limits& limits, Metrics& metrics, const cs_cancel* cancel)
    : limits_(limits), metrics_(metrics), cancel_(cancel), thread_([this] { run(); }) {}

Batcher::~Batcher() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  there_is_work_.notify_all();
  thread_.join();
}

void Batcher::give_up() {
  const std::lock_guard<std::mutex> lock(mutex_);
  given_up_ = true;
}

int Batcher::retry_seconds() const {
  const double rate = tokens_per_second_;
  return rate > 0
             ? static_cast<int>(std::ceil(
                   std::clamp(static_cast<double>(queued_tokens()) / rate, 1.0, kMaxRetrySeconds)))
             : 1;
}

void Batcher::submit(std::shared_ptr<Ticket> ticket) {
  for (const int32_t tokens : ticket->tokens) ticket->total_tokens += tokens;
  const size_t n = ticket->texts.size();
  ticket->embeddings.resize(n * static_cast<size_t>(ticket->engine->dimension(ticket->manner)));
  ticket->counts.resize(n);
  ticket->deadline = Clock::now() + std::chrono::seconds(limits_.queue_seconds);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Each request has a share of every batch, so small requests wait only for small ones. Large
    // requests do not count for them when the queue is checked. A request larger than the whole
    // queue is accepted if no other request of its kind waits.
    ticket->large = ticket->total_tokens > limits_.batch_tokens;
    const int64_t before = ticket->large ? queued_tokens() : small_tokens_;
    const bool full = static_cast<int>(queue_.size()) >= limits_.queue_requests ||
                      (queued(*ticket) > 0 && before + ticket->total_tokens > limits_.queue_tokens);
    if (full)
      throw Refusal(429, "queue_full", "the queue is full: send the request again later")
          .after(retry_seconds());
    wait(*ticket, ticket->total_tokens);
    ++metrics_.queued_requests;
    queue_.push_back(std::move(ticket));
  }
  there_is_work_.notify_one();
}

void Batcher::wait(const Ticket& ticket, int64_t tokens) {
  queued(ticket) += tokens;
  metrics_.queued_tokens += tokens;
}

void Batcher::forget(const Ticket& ticket) {
  for (size_t i = ticket.taken; i < ticket.texts.size(); ++i) wait(ticket, -ticket.tokens[i]);
  --metrics_.queued_requests;
}

// Takes the texts of the ticket that fit into its share and the budget. The first text of a batch
// always fits.
void Batcher::take(const std::shared_ptr<Ticket>& ticket, int64_t share, int64_t& budget,
                   std::vector<Part>& parts) {
  Part part{ticket, ticket->taken, 0, 0};
  while (ticket->taken < ticket->texts.size()) {
    const int64_t tokens = ticket->tokens[ticket->taken];
    const bool first = parts.empty() && part.count == 0;
    if (!first && (part.tokens + tokens > share || tokens > budget)) break;
    part.tokens += tokens;
    budget -= tokens;
    ++part.count;
    ++ticket->taken;
  }
  wait(*ticket, -part.tokens);
  if (part.count > 0) parts.push_back(std::move(part));
}

std::vector<Batcher::Part> Batcher::gather(std::vector<std::shared_ptr<Ticket>>& expired) {
  const auto now = Clock::now();
  std::deque<std::shared_ptr<Ticket>> waiting;
  for (std::shared_ptr<Ticket>& ticket : queue_) {
    if (*ticket->abandoned) {
      ++metrics_.abandoned;  // before the queue changes, so that an empty queue implies the count
      forget(*ticket);
    } else if (given_up_ || (ticket->deadline < now && ticket->taken == 0)) {
      forget(*ticket);
      expired.push_back(std::move(ticket));
    } else {
      waiting.push_back(std::move(ticket));
    }
  }
  std::vector<Part> parts;
  queue_.clear();
  if (!waiting.empty()) {
    const Ticket& head = *waiting.front();
    const auto alike = [&](const Ticket& ticket) {
      return ticket.engine == head.engine && ticket.manner == head.manner;
    };
    const auto n = std::count_if(waiting.begin(), waiting.end(),
                                 [&](const auto& ticket) { return alike(*ticket); });
    int64_t budget = limits_.batch_tokens;
    // First an equal share for each request, then the rest of the budget for the first ones.
    const int64_t share = std::max<int64_t>(1, budget / n);
    for (const int64_t most : {share, budget}) {
      for (const std::shared_ptr<Ticket>& ticket : waiting) {
        if (budget > 0 && alike(*ticket)) take(ticket, most, budget, parts);
      }
    }
    // Partly served requests go to the end of the queue, so that requests with other options have
    // their turn.
    std::deque<std::shared_ptr<Ticket>> begun;
    for (std::shared_ptr<Ticket>& ticket : waiting) {
      if (ticket->taken == ticket->texts.size()) continue;
      (ticket->taken > 0 ? begun : queue_).push_back(ticket);
    }
    queue_.insert(queue_.end(), begun.begin(), begun.end());
  }
  return parts;
}

void Batcher::answer(const std::shared_ptr<Ticket>& ticket) {
  const auto done = std::move(ticket->done);
  done(ticket);
}

void Batcher::run() {
  for (;;) {
    std::vector<Part> parts;
    std::vector<std::shared_ptr<Ticket>> expired;
    bool given_up = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      there_is_work_.wait(lock, [&] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      parts = gather(expired);
      given_up = given_up_;
    }
    for (const std::shared_ptr<Ticket>& ticket : expired) {
      const std::string why = given_up ? "the server is stopping"
                                       : "the request waited longer than " +
                                             std::to_string(limits_.queue_seconds) + " s";
      ticket->failure = std::make_exception_ptr(
          Refusal(503, "overloaded", why + ": send it again later").after(1));
      answer(ticket);
    }
    if (!parts.empty()) compute(parts);
  }
}

void Batcher::compute(const std::vector<Part>& parts) {
  const auto begin = Clock::now();
  int64_t texts = 0, tokens = 0;
  for (const Part& part : parts) texts += static_cast<int64_t>(part.count), tokens += part.tokens;
  std::vector<std::exception_ptr> failures(parts.size());
  try {
    embed(parts.data(), parts.size());
  } catch (const std::exception&) {
    // One request caused the failure. Embedding each separately finds out which one.
    for (size_t i = 0; i < parts.size(); ++i) {
      try {
        embed(&parts[i], 1);
      } catch (const std::exception&) {
        failures[i] = std::current_exception();
      }
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double rate = static_cast<double>(tokens) / std::max(seconds, 1e-6),
               before = tokens_per_second_;
  tokens_per_second_ = before > 0 ? (1 - kNewWeight) * before + kNewWeight * rate : rate;
  metrics_.batch(texts, tokens, static_cast<int64_t>(parts.size()), seconds);
  for (size_t i = 0; i < parts.size(); ++i) finish(parts[i], failures[i]);
}

void Batcher::embed(const Part* parts, size_t n) {
  const Ticket& head = *parts[0].ticket;
  const auto dimension = static_cast<size_t>(head.engine->dimension(head.manner));
  std::vector<const std::string*> texts;
  for (size_t i = 0; i < n; ++i) {
    for (size_t t = 0; t < parts[i].count; ++t)
      texts.push_back(&parts[i].ticket->texts[parts[i].first + t]);
  }
  std::vector<float> embeddings(texts.size() * dimension);
  std::vector<int32_t> counts(texts.size());
  head.engine->embed(texts, head.manner, embeddings.data(), counts.data(), cancel_);
  size_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    Ticket& ticket = *parts[i].ticket;
    std::copy_n(&embeddings[at * dimension], parts[i].count * dimension,
                &ticket.embeddings[parts[i].first * dimension]);
    std::copy_n(&counts[at], parts[i].count, &ticket.counts[parts[i].first]);
    at += parts[i].count;
  }
}

void Batcher::finish(Part part, std::exception_ptr failure) {
  Ticket& ticket = *part.ticket;
  if (ticket.failure != nullptr) return;  // already answered, for an earlier part
  ticket.finished += part.count;
  ticket.failure = std::move(failure);
  if (ticket.failure == nullptr && ticket.finished < ticket.texts.size()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    forget(ticket);
    queue_.erase(std::remove(queue_.begin(), queue_.end(), part.ticket), queue_.end());
  }
  answer(part.ticket);
}

}  // namespace contrastive::cli::serve
