#include "core/torch/dist/dist_options.h"

#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/torch/dist/store.h"
#include "core/runtime/device.h"

namespace contrastive::dist {

void Options::visit(OptionVisitor& v) {
  v.choice("mode", mode,
           {{"off", Mode::kOff},
            {"env", Mode::kEnv},
            {"keys", Mode::kKeys},
            {"threads", Mode::kThreads}},
           "whether ranks share the run: off = one process, which ignores its environment; env = "
           "the variables of torchrun, mpirun, srun or a Kubernetes Indexed Job say which rank "
           "this process is; keys = dist.rank, dist.world_size and dist.store say it; threads = "
           "every device of dist.devices is a rank, on a thread of this process");
  v.integer("rank", rank, between(-1, 65535),
            "which rank this process is, from 0; -1 = as the environment says");
  v.integer("world_size", world_size, between(0, 65536),
            OptionDoc("ranks of the run; 0 = as the environment says").unit("ranks"));
  v.text("store", store,
         "where the ranks find each other: tcp://HOST:PORT of rank 0, or file:///PATH on a disk "
         "that all can access; empty = MASTER_ADDR and MASTER_PORT. There is no authentication: "
         "for private networks only");
  v.list("devices", devices,
         "mode threads: the device of each rank, such as cpu,cpu or cuda:0,cuda:1");
  v.real("timeout", timeout, {1, 86400, false, false},
         OptionDoc("how long a rank waits for another before the run ends with an error that names "
                   "the late rank")
             .unit("seconds"));
  v.text("interface", interface,
         "network interface that ranks talk over, such as eth0; empty = the one that leads to the "
         "store");
}

Options read_options(const Config& config) {
  const auto options = contrastive::read_options<Options>(config, Options::kPrefix);
  const Mode mode = options.mode;
  const bool processes = mode == Mode::kEnv || mode == Mode::kKeys;
  reject_idle_keys(config, Options::kPrefix,
                   {{mode == Mode::kOff,
                     "dist.mode is off",
                     {"rank", "world_size", "store", "devices", "timeout", "interface"}},
                    {mode == Mode::kThreads,
                     "the ranks are threads of this process",
                     {"rank", "world_size", "store", "interface"}},
                    {processes,
                     "it goes with dist.mode = threads only; a process has the device of its model",
                     {"devices"}}});
  if (mode == Mode::kKeys) {
    check(options.rank >= 0, Status::kArgument,
          "config key 'dist.rank' is needed: dist.mode is keys");
    check(options.world_size > 0, Status::kArgument,
          "config key 'dist.world_size' is needed: dist.mode is keys");
    check(!options.store.empty(), Status::kArgument,
          "config key 'dist.store' is needed: dist.mode is keys");
    check(options.rank < options.world_size, Status::kArgument, "config key 'dist.rank' is ",
          options.rank, ", but dist.world_size is ", options.world_size, ": ranks count from 0");
  }
  if (!options.store.empty()) parse_store(options.store);
  check(mode != Mode::kThreads || !options.devices.empty(), Status::kArgument,
        "config key 'dist.devices' is needed: dist.mode is threads, and each device is a rank");
  check(options.devices.size() <= 1024, Status::kArgument, "config key 'dist.devices' names ",
        options.devices.size(), " devices: at most 1024");
  for (const std::string& device : options.devices) runtime::parse_device(device);
  return options;
}

Config without_options(const Config& config) {
  Config rest = config;
  for (const std::string& key : config.keys()) {
    if (key.rfind(Options::kPrefix, 0) == 0) rest.erase(key);
  }
  return rest;
}

Json describe_options() {
  Json rows = Json::array();
  for (const Json& row : contrastive::describe_options<Options>(Options::kPrefix))
    rows.push_back(changeable_on_resume(row));  // the updates do not depend on the ranks
  return rows;
}

}  // namespace contrastive::dist
