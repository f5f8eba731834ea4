// For benchmark programs without LibTorch, which know no device.
#include "core/base/error.h"
#include "core/runtime/device.h"
#include "tests/bench/device.h"

namespace contrastive::bench {

void synchronize(const std::string&) {}
double device_peak_mb(const std::string&) { return 0; }

void reset_device_peak(const std::string& device) {
  check(runtime::parse_device(device).is_cpu(), Status::kUnsupported, "device ", device,
        ": this program computes on the CPU alone; the one whose name "
        "ends in _cuda knows devices");
}

}  // namespace contrastive::bench
