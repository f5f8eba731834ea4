// Runs targets over the files of the corpus in the tree: fuzz_replay [TARGET [FILE...]]. Ends with
// "N targets, M files". A target without a corpus and a folder without a target are failures.
// `fuzz_replay --answers` runs the library's side of differential.py (answers.h).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/answers.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

namespace fs = std::filesystem;

std::string current;  // the current input, for the message of an abort

void run_file(const Target& target, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file && !file.eof()) violated("cannot read " + path);
  current = path;
  // A copy of the exact size, so that a sanitizer detects access beyond its end.
  const std::unique_ptr<char[]> exact(new char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  target.run({exact.get(), bytes.size()});
}

std::vector<std::string> corpus_of(const std::string& folder) {
  std::vector<std::string> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

int replay(const std::vector<std::string>& arguments) {
  const std::string corpus = CONTRASTIVE_FUZZ_CORPUS;
  int failures = 0;
  size_t runs = 0, ran = 0;
  for (const Target& target : targets()) {
    if (!arguments.empty() && arguments[0] != target.name) continue;
    std::vector<std::string> files(arguments.begin() + (arguments.empty() ? 0 : 1),
                                   arguments.end());
    if (files.empty()) files = corpus_of(corpus + "/" + target.name);
    if (files.empty()) ++failures, std::fprintf(stderr, "%s has no corpus\n", target.name);
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& file : files) run_file(target, file);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%-20s %4zu files %6.2f s\n", target.name, files.size(), seconds);
    runs += files.size();
    ++ran;
  }
  for (const auto& folder : fs::directory_iterator(corpus)) {
    const std::string name = folder.path().filename();
    const bool known = std::any_of(targets().begin(), targets().end(),
                                   [&](const Target& target) { return name == target.name; });
    if (!known) ++failures, std::fprintf(stderr, "corpus/%s belongs to no target\n", name.c_str());
  }
  std::printf("%zu targets, %zu files\n", ran, runs);
  return failures == 0 && ran > 0 ? 0 : 1;
}

}  // namespace

// Called by violated() and every other abort: prints the file that caused it.
extern "C" void say_file(int) {
  std::fprintf(stderr, "the input was %s\n", current.c_str());
  std::_Exit(1);
}

}  // namespace contrastive::fuzz

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--answers") return contrastive::fuzz::answer_requests();
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS})
    std::signal(number, contrastive::fuzz::say_file);
  return contrastive::fuzz::replay({argv + 1, argv + argc});
}
