// The numbers of a run that a caller may ask for, and their rates over time. Files of them are
// metrics_files.h's.
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
  // Of what is measured now and then: it stands in the next record and no further one.
  void measure(const std::string& name, double value);
  double get(const std::string& name) const;  // the last value; NaN when unknown
  double of_record(const std::string& name)
      const;  // NaN also where it was measured before the record that was written last
  void recorded() { measured_.clear(); }
  std::map<std::string, double> pending() const;  // measured since the last record
  std::map<std::string, double> measurements()
      const;  // the last values of all that is measured now and then
  std::vector<std::string> names() const;

  // Work was done in `seconds`. The rates are those of the last second or more, so that a run which
  // becomes faster shows it.
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
