// Exact t-SNE, timed: bench_tsne POINTS DIMENSION THREADS ITERATIONS [PLACES]
// POINTS is a file of raw float32 rows, or "random:N"; PLACES gets the result as raw float64: all
// x, then all y. Prints one JSON line. bench_tsne.py compares it with scikit-learn.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/eval/geometry/tsne.h"
#include "core/runtime/threads.h"
#include "tests/bench/raw_rows.h"

using namespace contrastive;

namespace {

int run(const std::vector<std::string>& arguments) {
  const int64_t dimension = std::stoll(arguments[1]);
  runtime::set_threads(std::stoi(arguments[2]));
  eval::TsneOptions options;
  options.iterations = std::stoll(arguments[3]);
  const std::vector<float> points = read_rows(arguments[0], dimension);
  const int64_t n = static_cast<int64_t>(points.size()) / dimension;
  const double before = peak_mb();
  const auto begin = std::chrono::steady_clock::now();
  eval::TsneResult result = eval::tsne(points.data(), n, dimension, options);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("{\"bench\": \"tsne\", \"peer\": \"contrastive\", \"threads\": %s, \"points\": %lld, "
              "\"iterations\": %lld, \"seconds\": %.3f, "
              "\"kl\": %.6f, \"extra_mb\": %.1f}\n",
              arguments[2].c_str(), static_cast<long long>(n),
              static_cast<long long>(options.iterations), seconds, result.kl, peak_mb() - before);
  if (arguments.size() > 4) {
    result.x.insert(result.x.end(), result.y.begin(), result.y.end());
    write_numbers(arguments[4], result.x);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: bench_tsne POINTS DIMENSION THREADS ITERATIONS [PLACES]\n");
    return 2;
  }
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_tsne: %s\n", error.what());
    return 1;
  }
}
