#include "capi/program/serve/metrics.h"

#include <contrastive/contrastive.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "capi/program/serve/answer.h"

namespace contrastive::cli::serve {
namespace {

constexpr std::array<double, Histogram::kBuckets> kSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025,
                                                              0.05,  0.1,    0.25,  0.5,  1,
                                                              2.5,   5,      10,    30};
constexpr std::array<double, Histogram::kBuckets> kTokens = {16,    32,    64,    128,   256,
                                                             512,   1024,  2048,  4096,  8192,
                                                             16384, 32768, 65536, 131072};

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void head(std::string& text, const std::string& name, const char* type, const char* help) {
  text += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void one(std::string& text, const std::string& name, const char* type, const char* help,
         int64_t value) {
  head(text, name, type, help);
  text += name + " " + std::to_string(value) + "\n";
}

// A label's value, escaped as the text format requires.
std::string label(const std::string& value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n') escaped += "\\n";
    else escaped += c;
  }
  return '"' + escaped + '"';
}

}  // namespace

void Histogram::observe(double value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto bucket = static_cast<size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), value) -
                                          bounds_.begin());
  if (bucket < kBuckets) ++counts_[bucket];
  ++count_;
  sum_ += value;
}

void Histogram::write(std::string& text, const std::string& name, const std::string& labels) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::string before = labels.empty() ? "" : labels + ",",
                    alone = labels.empty() ? "" : "{" + labels + "}";
  int64_t below = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    below += counts_[i];
    text += name + "_bucket{" + before + "le=\"" + shortest(bounds_[i]) + "\"} " +
            std::to_string(below) + "\n";
  }
  text += name + "_bucket{" + before + "le=\"+Inf\"} " + std::to_string(count_) + "\n";
  text += name + "_sum" + alone + " " + shortest(sum_) + "\n" + name + "_count" + alone + " " +
          std::to_string(count_) + "\n";
}

Metrics::Route::Route() : seconds(kSeconds) {}

Metrics::Metrics()
    : batch_tokens_(kTokens), batch_seconds_(kSeconds),
      started_(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
                   .count()) {}

void Metrics::answered(const std::string& route, int status, double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Route& entry = routes_[route];
  ++entry.statuses[status];
  entry.seconds.observe(seconds);
}

void Metrics::batch(int64_t texts, int64_t tokens, int64_t requests, double seconds) {
  batched_texts_ += texts;
  batched_requests_ += requests;
  batch_tokens_.observe(static_cast<double>(tokens));
  batch_seconds_.observe(seconds);
}

void Metrics::reloaded(bool succeeded) { ++(succeeded ? reloads_ : failed_reloads_); }

std::string Metrics::text(const std::string& model, bool ready, int64_t memory_bytes) const {
  std::string text;
  head(text, "contrastive_build_info", "gauge",
       "The version of the library and the name of the model, as labels.");
  text +=
      "contrastive_build_info{version=" + label(cs_version()) + ",model=" + label(model) + "} 1\n";
  head(text, "process_start_time_seconds", "gauge",
       "When the server began, in seconds since 1970.");
  text += "process_start_time_seconds " + shortest(started_) + "\n";
  one(text, "contrastive_ready", "gauge", "1 while requests are taken, 0 while the server stops.",
      ready ? 1 : 0);
  one(text, "contrastive_connections", "gauge", "Connections that are open.", connections);
  one(text, "contrastive_connections_accepted_total", "counter", "Connections that were accepted.",
      connections_accepted);
  one(text, "contrastive_connections_refused_total", "counter",
      "Connections beyond --max-connections, while all others were busy.", connections_refused);
  one(text, "contrastive_connections_evicted_total", "counter",
      "Waiting connections that ended because others came.", connections_evicted);
  one(text, "contrastive_timeouts_total", "counter",
      "Requests and answers that a slow client did not finish in time.", timeouts);
  one(text, "contrastive_abandoned_total", "counter",
      "Requests whose client went away before they were embedded.", abandoned);
  one(text, "contrastive_queue_requests", "gauge", "Requests that wait to be embedded, or are.",
      queued_requests);
  one(text, "contrastive_queue_tokens", "gauge", "Tokens of texts that wait to be embedded.",
      queued_tokens);
  one(text, "contrastive_body_bytes", "gauge",
      "Bytes that requests hold: bodies, embeddings, and answers until they are sent.",
      memory_bytes);
  one(text, "contrastive_texts_total", "counter", "Texts that were embedded.", texts);
  one(text, "contrastive_tokens_total", "counter",
      "Tokens that were embedded, special tokens included.", tokens);
  one(text, "contrastive_cut_texts_total", "counter",
      "Texts that were longer than the model takes, and were cut.", cut_texts);
  one(text, "contrastive_batch_texts_total", "counter", "Texts in all batches.", batched_texts_);
  one(text, "contrastive_batch_requests_total", "counter",
      "Requests that had texts in a batch, counted for each batch.", batched_requests_);
  head(text, "contrastive_batch_tokens", "histogram", "Tokens of one call of the library.");
  batch_tokens_.write(text, "contrastive_batch_tokens", "");
  head(text, "contrastive_batch_seconds", "histogram", "Seconds of one call of the library.");
  batch_seconds_.write(text, "contrastive_batch_seconds", "");
  head(text, "contrastive_reloads_total", "counter", "Reloads after SIGHUP.");
  text += "contrastive_reloads_total{result=\"ok\"} " + std::to_string(reloads_) + "\n";
  text += "contrastive_reloads_total{result=\"failed\"} " + std::to_string(failed_reloads_) + "\n";
  const std::lock_guard<std::mutex> lock(mutex_);
  head(text, "contrastive_requests_total", "counter",
       "Requests by path and status of their answer.");
  for (const auto& [path, route] : routes_) {
    for (const auto& [status, count] : route.statuses) {
      text += "contrastive_requests_total{route=" + label(path) + ",code=\"" +
              std::to_string(status) + "\"} " + std::to_string(count) + "\n";
    }
  }
  head(text, "contrastive_request_seconds", "histogram",
       "From the end of a request to the end of its answer.");
  for (const auto& [path, route] : routes_)
    route.seconds.write(text, "contrastive_request_seconds", "route=" + label(path));
  return text;
}

}  // namespace contrastive::cli::serve
