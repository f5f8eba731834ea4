// One trial: a separate process runs a scenario while one allocation fails, or all from one on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/faults/memory/failing_malloc.h"

namespace contrastive::faults {

enum class End {
  kOk,        // the call succeeded all the same
  kNoMemory,  // it returned NO_MEMORY
  kInternal,  // it returned INTERNAL
  kOther,     // it returned another status
  kBroken,    // a promise was not kept afterwards
  kAborted,   // the process ended itself: abort(), a signal, exit()
  kForeign,   // LibTorch ended it, at a place that no caller can prevent: foreign_place()
  kHung,      // nothing happened for ten seconds
};

struct Trial {
  int64_t nth = 0;
  End end = End::kAborted;
  int64_t allocations = 0;  // made while memory failed
  std::string text;         // of the error, or of the broken promise
  std::string stack;        // where it aborted or hung
  std::string failure;      // where the first allocation failed, if the trial finished
  std::vector<float> outcome;
};

// A new folder, in memory if possible, because saves wait until their data is durable, which is
// slow on a busy disk.
std::string new_folder();

// Starts trials and collects finished ones, so that a few run in parallel.
class Trials {
 public:
  // `expected`: the numbers that trials must give; empty to report them instead. Children are
  // forked from the current state of this process.
  Trials(std::string scenario, std::vector<float> expected);
  ~Trials();
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  void begin(Fault fault, int64_t nth);  // requires a free slot
  bool room() const;
  bool any() const;
  Trial wait();  // waits until one ends

 private:
  struct Slot;
  [[noreturn]] void child(Slot& slot, Fault fault, int64_t nth);
  std::string scenario_;
  std::vector<float> expected_;
  std::string folder_;
  std::vector<Slot*> slots_;
};

// The function of LibTorch that allocates where it must not throw, if the stack is such a place,
// else "". tests/faults/RESULTS.md lists them. Slow for a new stack.
std::string foreign_place(const std::string& stack);

// The innermost frames of a stack, which identify it.
std::string place_of(const std::string& stack);

// The stack of a trial, with names of functions that are not exported (from addr2line). Slow.
std::string with_names(const std::string& stack);

}  // namespace contrastive::faults
