// Which rank a process is, and where the others are: from the variables that a launcher sets, and
// the keys that go before them.
#pragma once

#include <functional>
#include <string>

#include "core/torch/dist/dist_options.h"
#include "core/torch/dist/store.h"

namespace contrastive::dist {

struct Seat {
  int rank = 0, size = 1;
  StoreAddress store;
  std::string launcher;  // whose variables were read, for messages; "" for keys alone
};

// The value of an environment variable; null where it is not set.
using Environment = std::function<const char*(const char* name)>;
Environment process_environment();

// torchrun's variables come first (RANK, WORLD_SIZE), then those of Open MPI's mpirun, of srun and
// of a Kubernetes Indexed Job (JOB_COMPLETION_INDEX, the size from WORLD_SIZE). One whose variables
// are all there goes before one that lacks some. The address is dist.store's, else that of
// MASTER_ADDR and MASTER_PORT (29500), else what the launcher tells of rank 0. kArgument names the
// variable that is missing, no number, or does not fit another.
Seat find_seat(const Options& options, const Environment& environment);

// "node[03-05,9],other" -> "node03"
std::string first_host(const std::string& nodes);

}  // namespace contrastive::dist
