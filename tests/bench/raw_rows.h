// Reads and writes the benchmark programs' files, raw float32 rows without a header. Measures
// memory.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/rng.h"

namespace contrastive {

// The rows of a file, concatenated, or of "random:N".
inline std::vector<float> read_rows(const std::string& source, int64_t dimension) {
  std::vector<float> values;
  if (source.rfind("random:", 0) == 0) {
    values.resize(std::stoll(source.substr(7)) * dimension);
    Rng rng(values.size(), Purpose::kInitialise);
    for (float& x : values) x = static_cast<float>(rng.next32()) * 0x1p-32f - 0.5f;
    return values;
  }
  std::ifstream file(source, std::ios::binary | std::ios::ate);
  check(file.good(), Status::kNotFound, source, ": cannot be read");
  values.resize(static_cast<size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

template <class Number>
void write_numbers(const std::string& path, const std::vector<Number>& numbers) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
}

inline double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace contrastive
