// What signals the threads of this process block.
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

// By thread: the mask as the system writes it, bit n - 1 for signal n.
inline std::map<std::string, unsigned long long> signal_masks() {
  std::map<std::string, unsigned long long> masks;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("SigBlk:", 0) == 0) masks[task.path().filename()] = std::stoull(line.substr(7), nullptr, 16);
    }
  }
  return masks;
}

// There are threads that were not there `before`, and all of them leave the host's signals to the host.
inline void expect_new_threads_block_signals(const std::map<std::string, unsigned long long>& before) {
  int born = 0;
  const auto begins = [](const auto& thread) { return blocks(thread.second, SIGSEGV); };  // the C library blocks all of them until a thread runs
  auto masks = signal_masks();
  while (std::any_of(masks.begin(), masks.end(), begins)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    masks = signal_masks();
  }
  for (const auto& [thread, mask] : masks) {
    if (before.count(thread) > 0) continue;
    ++born;
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) EXPECT_TRUE(blocks(mask, signal)) << "thread " << thread << " takes signal " << signal;
  }
  EXPECT_GT(born, 0);
}

}  // namespace contrastive
