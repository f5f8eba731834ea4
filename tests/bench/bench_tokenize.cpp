// Tokens per second of one tokenizer over texts, one per line, on one thread.
// tests/bench/bench_tokenize.py runs it in turn with Hugging Face's.
//
//   bench_tokenize FOLDER [SECONDS]
//
// It reads requests from stdin. A request is a line with the path of a text file. The answer is a
// line with the seconds of one pass (the best of those that fit in SECONDS, default 0.3), the
// tokens, and the bytes.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/tokenizer_files.h"

namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  contrastive::check(file.good(), contrastive::Status::kNotFound, path, ": cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void measure(const contrastive::text::Tokenizer& tokenizer, const std::string& path,
             double budget) {
  const std::vector<std::string> lines = read_lines(path);
  size_t bytes = 0;
  for (const std::string& line : lines) bytes += line.size();
  contrastive::text::TokenBatch batch;
  double best = 1e9;
  const auto begin = Clock::now();
  do {
    batch.clear();
    const auto start = Clock::now();
    for (const std::string& line : lines) tokenizer.append(line, 0, batch);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < budget);
  std::cout << best << ' ' << batch.tokens() << ' ' << bytes << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::cerr << "usage: bench_tokenize FOLDER [SECONDS]\n", 2;
  try {
    const auto start = Clock::now();
    const auto tokenizer = contrastive::io::load_tokenizer(argv[1]);
    std::cerr << "loaded in "
              << std::chrono::duration<double, std::milli>(Clock::now() - start).count() << " ms\n";
    for (std::string path; std::getline(std::cin, path);)
      measure(*tokenizer, path, argc > 2 ? std::atof(argv[2]) : 0.3);
  } catch (const contrastive::Error& error) {
    std::cerr << "bench_tokenize: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
