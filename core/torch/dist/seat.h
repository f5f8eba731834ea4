// Determines which rank a process is, and where the other ranks are: from the variables that a
// launcher sets, and from config keys, which override them.
#pragma once

#include <functional>
#include <string>

#include "core/torch/dist/dist_options.h"
#include "core/torch/dist/store.h"

namespace contrastive::dist {

struct Seat {
  int rank = 0, size = 1;
  StoreAddress store;
  // The launcher whose variables were read, for messages; "" if only keys were used.
  std::string launcher;
};

// Returns the value of an environment variable; null if it is not set.
using Environment = std::function<const char*(const char* name)>;
Environment process_environment();

// torchrun's variables come first (RANK, WORLD_SIZE), then those of Open MPI's mpirun, of srun and
// of a Kubernetes Indexed Job (JOB_COMPLETION_INDEX, the size from WORLD_SIZE). A launcher with all
// its variables set is preferred to one with some missing. The address is dist.store's, otherwise
// that of MASTER_ADDR and MASTER_PORT (29500), otherwise what the launcher says about rank 0.
// kArgument names the variable that is missing, is not a number, or contradicts another.
Seat find_seat(const Options& options, const Environment& environment);

// "node[03-05,9],other" -> "node03"
std::string first_host(const std::string& nodes);

}  // namespace contrastive::dist
