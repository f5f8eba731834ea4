// Ranks of a training run as processes of this machine: `contrastive train --ranks 2`. This process
// is rank 0; the others run its own command line.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capi/program/settings.h"

namespace contrastive {
class ScratchFolder;
}

namespace contrastive::cli {

class LocalRanks {
 public:
  // `ranks`: what --ranks says: "" for a run of one process, a number of processes, or "env": a
  // launcher has started this one beside others, and its variables say which rank it is. Puts the
  // keys "dist.*" of this rank into `settings`. Starts nothing yet.
  LocalRanks(const std::string& ranks, Settings& settings);
  ~LocalRanks();  // waits for the others; ends those that take longer than a few seconds
  LocalRanks(const LocalRanks&) = delete;
  LocalRanks& operator=(const LocalRanks&) = delete;

  // Starts the others, once this process has found nothing wrong with its command line.
  // `threads_given`: --threads says how many each rank takes; else those of the machine are shared
  // out.
  void start(bool threads_given);

 private:
  std::vector<std::string> command_of(int64_t rank) const;

  int64_t ranks_ = 1;
  int threads_ = 0;                        // of each rank; 0 = as its own command line says
  std::unique_ptr<ScratchFolder> folder_;  // where the ranks find each other
  std::vector<pid_t> processes_;
};

}  // namespace contrastive::cli
