// Paraphrase mining, timed: bench_mining ROWS DIMENSION TOP_K MAX_PAIRS THREADS RUNS [PAIRS]
// ROWS is a file of raw float32 rows, or "random:N"; PAIRS gets the result as raw float64, three
// numbers a pair: score, row, row. Prints one JSON line. bench_mining.py compares it with
// sentence-transformers.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/eval/retrieval/paraphrases.h"
#include "core/runtime/threads.h"
#include "tests/bench/raw_rows.h"

using namespace contrastive;

namespace {

int run(const std::vector<std::string>& arguments) {
  const int64_t dimension = std::stoll(arguments[1]), runs = std::stoll(arguments[5]);
  eval::SimilarPairOptions options;
  options.top_k = std::stoll(arguments[2]);
  options.max_pairs = std::stoll(arguments[3]);
  runtime::set_threads(std::stoi(arguments[4]));
  const std::vector<float> rows = read_rows(arguments[0], dimension);
  const int64_t n = static_cast<int64_t>(rows.size()) / dimension;
  const double before = peak_mb();
  std::vector<eval::SimilarPair> pairs;
  std::vector<double> seconds;
  for (int64_t i = 0; i < runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    pairs = eval::most_similar_pairs(rows.data(), n, dimension, options);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf(
      "{\"bench\": \"mining\", \"peer\": \"contrastive\", \"threads\": %s, \"rows\": %lld, \"d\": "
      "%lld, \"top_k\": %lld, \"pairs\": %zu, "
      "\"runs\": %lld, \"seconds\": %.3f, \"s_min\": %.3f, \"s_max\": %.3f, \"extra_mb\": %.1f}\n",
      arguments[4].c_str(), static_cast<long long>(n), static_cast<long long>(dimension),
      static_cast<long long>(options.top_k), pairs.size(), static_cast<long long>(runs),
      seconds[seconds.size() / 2], seconds.front(), seconds.back(), peak_mb() - before);
  if (arguments.size() > 6) {
    std::vector<double> numbers;
    for (const eval::SimilarPair& pair : pairs) {
      numbers.insert(numbers.end(), {pair.score, static_cast<double>(pair.first),
                                     static_cast<double>(pair.second)});
    }
    write_numbers(arguments[6], numbers);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr,
                 "usage: bench_mining ROWS DIMENSION TOP_K MAX_PAIRS THREADS RUNS [PAIRS]\n");
    return 2;
  }
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_mining: %s\n", error.what());
    return 1;
  }
}
