// One trial: a process of its own runs a scenario while one allocation, or all from one on, fail.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/faults/memory/failing_malloc.h"

namespace contrastive::faults {

enum class End {
  kOk,        // the call succeeded all the same
  kNoMemory,  // it said so
  kInternal,  // it called itself a bug of the library
  kOther,     // it gave another reason
  kBroken,    // a promise was not kept afterwards
  kAborted,   // the process was ended from inside: abort(), a signal, exit()
  kForeign,   // so it was, by LibTorch itself, at a place that no caller can prevent:
              // foreign_place()
  kHung,      // nothing happened for ten seconds
};

struct Trial {
  int64_t nth = 0;
  End end = End::kAborted;
  int64_t allocations = 0;  // made while memory failed
  std::string text;         // of the error, or what was broken
  std::string stack;        // where it was aborted or hung
  std::string failure;      // where the first allocation failed, if it came to its end
  std::vector<float> outcome;
};

// A new folder, in memory where the system has a place for that: what is saved is made durable,
// which a busy disk takes its time for.
std::string new_folder();

// Begins trials and brings in those that have ended, so that a few run beside each other.
class Trials {
 public:
  // `expected`: what the outcome must be; empty to have it told. Children are forked from this
  // process as it is.
  Trials(std::string scenario, std::vector<float> expected);
  ~Trials();
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  void begin(Fault fault, int64_t nth);  // there must be room
  bool room() const;
  bool any() const;
  Trial wait();  // for the first to end

 private:
  struct Slot;
  [[noreturn]] void child(Slot& slot, Fault fault, int64_t nth);
  std::string scenario_;
  std::vector<float> expected_;
  std::string folder_;
  std::vector<Slot*> slots_;
};

// Where LibTorch itself allocates while it must not throw, if the stack is one of those: its
// function's name, else "". tests/faults/RESULTS.md tells of each. Slow for a stack that it has not
// met.
std::string foreign_place(const std::string& stack);

// The innermost frames of a stack: what tells two of them apart.
std::string place_of(const std::string& stack);

// The stack of a trial with the names of what is not exported, as addr2line knows them. Slow.
std::string with_names(const std::string& stack);

}  // namespace contrastive::faults
