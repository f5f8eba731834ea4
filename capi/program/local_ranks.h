// Ranks of a training run as processes on this machine (`contrastive train --ranks 2`). This
// process is rank 0. The others run the same command line.
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
  // `ranks` is the value of --ranks: "" for a run of one process, a number of processes, or "env"
  // if a launcher started the ranks and environment variables say which rank this is. Puts this
  // rank's keys "dist.*" into `settings`. Does not start processes.
  LocalRanks(const std::string& ranks, Settings& settings);
  ~LocalRanks();  // waits for the other ranks, and kills them after a few seconds
  LocalRanks(const LocalRanks&) = delete;
  LocalRanks& operator=(const LocalRanks&) = delete;

  // Starts the other ranks. Call it after this process has checked its command line.
  // `threads_given`: --threads sets the number of threads of each rank; otherwise the ranks share
  // the machine's threads.
  void start(bool threads_given);

 private:
  std::vector<std::string> command_of(int64_t rank) const;

  int64_t ranks_ = 1;
  int threads_ = 0;                        // of each rank; 0 = as in its command line
  std::unique_ptr<ScratchFolder> folder_;  // where the ranks meet
  std::vector<pid_t> processes_;
};

}  // namespace contrastive::cli
