// For benchmark programs without LibTorch, which support only the CPU.
#include "core/base/error.h"
#include "core/runtime/device.h"
#include "tests/bench/device.h"

namespace contrastive::bench {

void synchronize(const std::string&) {}
double device_peak_mb(const std::string&) { return 0; }

void reset_device_peak(const std::string& device) {
  check(runtime::parse_device(device).is_cpu(), Status::kUnsupported, "device ", device,
        ": this program supports only the CPU; use the program whose "
        "name ends in _cuda");
}

}  // namespace contrastive::bench
