#include "core/torch/dist/seat.h"

#include <cstdlib>
#include <optional>

#include "core/base/error.h"

namespace contrastive::dist {
namespace {

constexpr int kUsualPort = 29500;  // torchrun's
constexpr int64_t kMostRanks = 65536;

// The variables of a launcher for the rank, the number of ranks and, if it has one, the number of
// ranks on this machine.
struct Launcher {
  const char *name, *rank, *size, *local_size;
};
constexpr Launcher kLaunchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS", nullptr},
    {"a Kubernetes Indexed Job", "JOB_COMPLETION_INDEX", "WORLD_SIZE", nullptr},
};

std::string text_of(const Environment& environment, const char* name) {
  const char* value = name == nullptr ? nullptr : environment(name);
  return value == nullptr ? "" : value;
}

int64_t number_of(const std::string& text, const char* name, int64_t low, int64_t high) {
  const bool digits = !text.empty() && text.size() <= 9 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  const int64_t value = digits ? std::strtoll(text.c_str(), nullptr, 10) : -1;
  check(digits && value >= low && value <= high, Status::kArgument, "environment variable ", name,
        " is '", text, "', not a number from ", low, " to ", high);
  return value;
}

const Launcher* find_launcher(const Environment& environment) {
  const Launcher* incomplete = nullptr;
  for (const Launcher& launcher : kLaunchers) {
    if (environment(launcher.rank) == nullptr) continue;
    if (environment(launcher.size) != nullptr) return &launcher;
    if (incomplete == nullptr) incomplete = &launcher;
  }
  return incomplete;
}

// The address on which rank 0 listens, according to the environment.
StoreAddress address_of(const Environment& environment, const Launcher* launcher, int64_t size) {
  StoreAddress address;
  address.host = text_of(environment, "MASTER_ADDR");
  const std::string port = text_of(environment, "MASTER_PORT");
  address.port =
      port.empty() ? kUsualPort : static_cast<int>(number_of(port, "MASTER_PORT", 1, 65535));
  if (!address.host.empty()) return address;
  std::string nodes = text_of(environment, "SLURM_STEP_NODELIST");
  if (nodes.empty()) nodes = text_of(environment, "SLURM_JOB_NODELIST");
  const std::string local = launcher == nullptr ? "" : text_of(environment, launcher->local_size);
  if (!nodes.empty()) {
    address.host = first_host(nodes);
  } else if (size == 1 || (!local.empty() && local == std::to_string(size))) {
    address.host = "127.0.0.1";  // all ranks are on this machine
  }
  check(!address.host.empty(), Status::kArgument,
        "nothing says where rank 0 is: set the environment variable MASTER_ADDR to its host, or "
        "config key 'dist.store'");
  return address;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> const char* { return std::getenv(name); };
}

std::string first_host(const std::string& nodes) {
  const size_t bracket = nodes.find('['), comma = nodes.find(',');
  if (bracket == std::string::npos || comma < bracket) return nodes.substr(0, comma);
  const size_t end = nodes.find_first_of(",-]", bracket + 1);
  if (end == std::string::npos) return nodes;
  return nodes.substr(0, bracket) + nodes.substr(bracket + 1, end - bracket - 1);
}

Seat find_seat(const Options& options, const Environment& environment) {
  Seat seat;
  if (options.mode == Mode::kKeys) {
    seat.rank = static_cast<int>(options.rank);
    seat.size = static_cast<int>(options.world_size);
    seat.store = parse_store(options.store);
    return seat;
  }
  const Launcher* launcher = find_launcher(environment);
  const bool given = options.rank >= 0 && options.world_size > 0;
  check(launcher != nullptr || given, Status::kArgument,
        "config key 'dist.mode' is env, but no launcher has set its variables (RANK and WORLD_SIZE "
        "of torchrun, OMPI_COMM_WORLD_RANK of mpirun, "
        "SLURM_PROCID of srun, JOB_COMPLETION_INDEX of a Kubernetes Indexed Job): start this "
        "program with one of them, or use dist.mode = keys");
  if (launcher != nullptr) seat.launcher = launcher->name;
  int64_t size = options.world_size, rank = options.rank;
  if (size == 0) {
    const std::string text = text_of(environment, launcher->size);
    check(!text.empty(), Status::kArgument, "environment variable ", launcher->rank,
          " is set, but ", launcher->size,
          " is not: set it, or config key 'dist.world_size', to the number of ranks");
    size = number_of(text, launcher->size, 1, kMostRanks);
  }
  if (rank < 0)
    rank = number_of(text_of(environment, launcher->rank), launcher->rank, 0, kMostRanks - 1);
  check(rank < size, Status::kArgument, "this is rank ", rank,
        options.rank < 0 ? cat(" (", launcher->rank, ")") : std::string(), " of ", size,
        " ranks: ranks count from 0");
  seat.rank = static_cast<int>(rank);
  seat.size = static_cast<int>(size);
  seat.store =
      options.store.empty() ? address_of(environment, launcher, size) : parse_store(options.store);
  if (options.store.empty() && text_of(environment, "TORCHELASTIC_USE_AGENT_STORE") == "True") {
    // torchrun itself listens there, through all restarts of its ranks, so each round uses its own
    // names.
    seat.store.served_elsewhere = true;
    seat.store.prefix = "contrastive-" + text_of(environment, "TORCHELASTIC_RESTART_COUNT");
  }
  return seat;
}

}  // namespace contrastive::dist
