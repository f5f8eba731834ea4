// The signals that the threads of this process block.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

namespace contrastive {

inline bool blocks(unsigned long long mask, int signal) { return (mask >> (signal - 1) & 1) != 0; }

// By thread: the mask in the system's format, bit n - 1 for signal n.
inline std::map<std::string, unsigned long long> signal_masks() {
  std::map<std::string, unsigned long long> masks;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("SigBlk:", 0) == 0)
        masks[task.path().filename()] = std::stoull(line.substr(7), nullptr, 16);
    }
  }
  return masks;
}

// Checks that at least `least` threads are new since `before`, and that all of them block the
// host's signals. The C library blocks all signals of a thread until it runs. One of them may be a
// thread of ThreadSanitizer, which blocks SIGSEGV too.
inline void expect_new_threads_block_signals(
    const std::map<std::string, unsigned long long>& before, size_t least) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::map<std::string, unsigned long long> born;
  const auto begins = [](const auto& thread) { return blocks(thread.second, SIGSEGV); };
  do {
    born = signal_masks();
    for (const auto& thread : before) born.erase(thread.first);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (std::any_of(born.begin(), born.end(), begins) &&
           std::chrono::steady_clock::now() < until);
  EXPECT_GE(born.size(), least);
  for (const auto& [thread, mask] : born) {
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM})
      EXPECT_TRUE(blocks(mask, signal)) << "thread " << thread << " takes signal " << signal;
  }
}

}  // namespace contrastive
