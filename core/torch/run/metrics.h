// The metrics of a run, and their rates over time. metrics_files.h writes them to files.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace contrastive::run {

class Metrics {
 public:
  void set(const std::string& name, double value) { values_[name] = value; }
  // A value that is measured only sometimes: it is in the next record only.
  void measure(const std::string& name, double value);
  double get(const std::string& name) const;  // the last value; NaN if unknown
  double of_record(
      const std::string& name) const;  // also NaN if it was not measured since the last record
  void recorded() { measured_.clear(); }
  std::map<std::string, double> pending() const;  // measured since the last record
  std::map<std::string, double> measurements()
      const;  // the last values of all metrics that are measured only sometimes
  std::vector<std::string> names() const;

  // Adds work done in `seconds`. Rates are over the last second or more, so that they follow
  // changes of speed.
  void add_work(int64_t samples, int64_t tokens, double seconds);

 private:
  std::map<std::string, double> values_;
  std::set<std::string> occasional_, measured_;  // measured_: since the last record
  int64_t samples_ = 0, tokens_ = 0;
  double seconds_ = 0;
  bool published_ = false;
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace contrastive::run
