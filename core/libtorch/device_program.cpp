#include "core/libtorch/device_program.h"

#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include "core/base/error.h"
#include "core/base/log.h"

namespace contrastive::libtorch {

namespace {

constexpr unsigned kThreadsOfBlock = 256;

// What of the driver's interface is used. Its functions keep their names and types from one release to the next.
struct Driver {
  using Status = int;  // 0 = success
  Status (*init)(unsigned flags);
  Status (*device)(int* device, int number);
  Status (*retain_context)(void** context, int device);
  Status (*push_context)(void* context);
  Status (*pop_context)(void** context);
  Status (*load)(void** module, const void* image);
  Status (*function)(void** function, void* module, const char* name);
  Status (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared_bytes, void* stream, void** arguments, void** extra);
  Status (*error_text)(Status status, const char** text);

  // Null where the machine has none.
  static const Driver* find() {
    static const Driver* const driver = look_up();
    return driver;
  }

  std::string text_of(Status status) const {
    const char* text = nullptr;
    return error_text(status, &text) == 0 && text != nullptr ? std::string(text) : cat("error ", status);
  }

 private:
  static const Driver* look_up() {
    // One that the process has already, for all to see, is the one that LibTorch uses.
    void* library = RTLD_DEFAULT;
    if (dlsym(library, "cuLaunchKernel") == nullptr) {
      library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
      if (library == nullptr) return nullptr;
    }
    static Driver driver;
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    const bool whole = find(driver.init, "cuInit") && find(driver.device, "cuDeviceGet") && find(driver.retain_context, "cuDevicePrimaryCtxRetain") &&
                       find(driver.push_context, "cuCtxPushCurrent_v2") && find(driver.pop_context, "cuCtxPopCurrent_v2") &&
                       find(driver.load, "cuModuleLoadData") && find(driver.function, "cuModuleGetFunction") && find(driver.launch, "cuLaunchKernel") &&
                       find(driver.error_text, "cuGetErrorString");
    return whole && driver.init(0) == 0 ? &driver : nullptr;
  }
};

// The context in which LibTorch works on a device, for as long as this lives.
class InContext {
 public:
  InContext(const Driver& driver, void* context) : driver_(driver), status_(driver.push_context(context)) {}
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  ~InContext() {
    void* context = nullptr;
    if (status_ == 0) driver_.pop_context(&context);
  }
  Driver::Status status() const { return status_; }

 private:
  const Driver& driver_;
  const Driver::Status status_;
};

}  // namespace

// The program on one device.
struct DeviceProgram::Loaded {
  void* context = nullptr;
  void* module = nullptr;  // null: it does not run there
};

const DeviceProgram::Loaded& DeviceProgram::loaded(const c10::Device& device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Loaded*& known = devices_[device.index()];
  if (known != nullptr) return *known;
  auto* found = new Loaded;  // stays, as what the driver holds does
  known = found;
  const Driver* const there = Driver::find();
  if (there == nullptr) {
    log_info("device ", device.str(), ": NVIDIA's driver was not found, and ", name_, " is done without kernels of its own");
    return *found;
  }
  const Driver& driver = *there;
  int number = 0;
  Driver::Status status = driver.device(&number, device.index());
  if (status == 0) status = driver.retain_context(&found->context, number);
  if (status == 0) {
    const InContext within(driver, found->context);
    status = within.status();
    if (status == 0) status = driver.load(&found->module, ptx_);
  }
  if (status != 0) {
    found->module = nullptr;
    log_warning("device ", device.str(), ": the driver refused the kernels of ", name_, " (", driver.text_of(status),
                "), which is done without them, and slower. Report it with the driver's version");
  }
  return *found;
}

bool DeviceProgram::runs_on(const c10::Device& device) { return device.is_cuda() && loaded(device).module != nullptr; }

void DeviceProgram::start_with(const c10::Device& device, const char* kernel, int64_t threads, const void** arguments) {
  const Loaded& program = loaded(device);
  TORCH_CHECK(program.module != nullptr, "a program that does not run on ", device.str());
  if (threads == 0) return;
  const Driver& driver = *Driver::find();
  const auto accepted = [&](Driver::Status status) {
    check(status == 0, Status::kDevice, "device ", device.str(), " did not start a kernel of ", name_, ": ", driver.text_of(status));
  };
  const InContext within(driver, program.context);
  accepted(within.status());
  void* function = nullptr;
  accepted(driver.function(&function, program.module, kernel));
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  const auto blocks = static_cast<unsigned>((threads + kThreadsOfBlock - 1) / kThreadsOfBlock);
  accepted(driver.launch(function, blocks, 1, 1, kThreadsOfBlock, 1, 1, 0, stream.native_handle(), const_cast<void**>(arguments), nullptr));
}

}  // namespace contrastive::libtorch
