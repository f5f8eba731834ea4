// The server's metrics, in the text format of Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace contrastive::cli::serve {

// A histogram as Prometheus defines it: cumulative buckets, a sum and a count. Thread-safe.
class Histogram {
 public:
  static constexpr size_t kBuckets = 14;
  explicit Histogram(const std::array<double, kBuckets>& bounds) : bounds_(bounds) {}
  void observe(double value);
  // `labels` is "" or `route="/x"`.
  void write(std::string& text, const std::string& name, const std::string& labels) const;

 private:
  std::array<double, kBuckets> bounds_;
  mutable std::mutex mutex_;
  std::array<int64_t, kBuckets> counts_{};
  int64_t count_ = 0;
  double sum_ = 0;
};

class Metrics {
 public:
  Metrics();

  // Counts an answered request. `route` is one of the router's paths, or "other".
  void answered(const std::string& route, int status, double seconds);
  // Counts a call of the library.
  void batch(int64_t texts, int64_t tokens, int64_t requests, double seconds);
  void reloaded(bool succeeded);

  std::atomic<int64_t> connections{0}, connections_accepted{0}, connections_refused{0},
      connections_evicted{0}, timeouts{0}, abandoned{0};
  std::atomic<int64_t> texts{0}, tokens{0}, cut_texts{0};
  std::atomic<int64_t> queued_requests{0}, queued_tokens{0};

  // `model` is the name of the served model, `memory_bytes` the memory that requests hold.
  std::string text(const std::string& model, bool ready, int64_t memory_bytes) const;

 private:
  struct Route {
    Route();
    std::map<int, int64_t> statuses;
    Histogram seconds;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Route> routes_;
  Histogram batch_tokens_, batch_seconds_;
  std::atomic<int64_t> batched_texts_{0}, batched_requests_{0}, reloads_{0}, failed_reloads_{0};
  double started_;  // seconds since 1970
};

}  // namespace contrastive::cli::serve
