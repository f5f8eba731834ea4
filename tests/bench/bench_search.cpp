// Exact top-k search, timed: bench_search QUERIES CORPUS DIMENSION K THREADS RUNS [INDICES]
// QUERIES and CORPUS are files of raw float32 rows, or "random:N"; INDICES gets the result as raw
// int64. Prints one JSON line. bench_search.py compares it with other libraries.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/retrieval/top_k.h"
#include "core/runtime/threads.h"
#include "tests/bench/raw_rows.h"

using namespace contrastive;

namespace {

int run(const std::vector<std::string>& arguments) {
  const int64_t dimension = std::stoll(arguments[2]), runs = std::stoll(arguments[5]);
  retrieval::TopKOptions options{retrieval::Metric::kDot, std::stoll(arguments[3])};
  runtime::set_threads(std::stoi(arguments[4]));
  const std::vector<float> queries = read_rows(arguments[0], dimension),
                           corpus = read_rows(arguments[1], dimension);
  const int64_t n_queries = static_cast<int64_t>(queries.size()) / dimension,
                n_corpus = static_cast<int64_t>(corpus.size()) / dimension;
  std::vector<int64_t> indices(n_queries * options.k);
  std::vector<float> scores(indices.size());
  const double before = peak_mb();
  std::vector<double> seconds;
  for (int64_t i = 0; i < runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    retrieval::top_k(queries.data(), n_queries, corpus.data(), n_corpus, dimension, options,
                     indices.data(), scores.data());
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  std::printf("{\"bench\": \"search\", \"peer\": \"contrastive\", \"threads\": %s, \"q\": %lld, "
              "\"n\": %lld, \"d\": %lld, \"k\": %lld, "
              "\"runs\": %lld, \"s_min\": %.6f, \"s_median\": %.6f, \"s_max\": %.6f, "
              "\"gflops_median\": %.1f, \"extra_mb\": %.1f}\n",
              arguments[4].c_str(), static_cast<long long>(n_queries),
              static_cast<long long>(n_corpus), static_cast<long long>(dimension),
              static_cast<long long>(options.k), static_cast<long long>(runs), seconds.front(),
              median, seconds.back(),
              2e-9 * static_cast<double>(n_queries) * static_cast<double>(n_corpus) *
                  static_cast<double>(dimension) / median,
              peak_mb() - before);
  if (arguments.size() > 6) write_numbers(arguments[6], indices);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "usage: bench_search QUERIES CORPUS DIMENSION K THREADS RUNS [INDICES]\n");
    return 2;
  }
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_search: %s\n", error.what());
    return 1;
  }
}
