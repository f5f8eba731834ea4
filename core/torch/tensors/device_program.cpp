#include "core/torch/tensors/device_program.h"

#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <torch/headeronly/version.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/host/helper_threads.h"
#include "core/system/library.h"

namespace contrastive::tensors {

namespace {

constexpr unsigned kThreadsOfBlock = 256;

// The status codes of the driver.
using Answer = int;
constexpr Answer kSuccess = 0, kOutOfMemory = 2;

// The part of the driver's interface that is used. Its functions keep their names and types in all
// releases.
struct Driver {
  Answer (*init)(unsigned flags);
  Answer (*device)(int* device, int number);
  Answer (*retain_context)(void** context, int device);
  Answer (*push_context)(void* context);
  Answer (*pop_context)(void** context);
  Answer (*load)(void** module, const void* image);
  Answer (*function)(void** function, void* module, const char* name);
  Answer (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void* stream, void** arguments, void** extra);
  Answer (*error_text)(Answer answer, const char** text);

  // Null if the machine has no working driver.
  static const Driver* find() {
    static const Driver* const driver = look_up();
    return driver;
  }

  std::string text_of(Answer answer) const {
    const char* text = nullptr;
    return error_text(answer, &text) == kSuccess && text != nullptr ? std::string(text)
                                                                    : cat("error ", answer);
  }

 private:
  static const Driver* look_up() {
    // LibTorch uses the driver that the process has loaded globally, if there is one.
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    static Driver driver;
    const auto find = [library](auto& function, const char* name) {
      void* found = dlsym(RTLD_DEFAULT, name);
      if (found == nullptr && library != nullptr) found = dlsym(library, name);
      function = reinterpret_cast<std::decay_t<decltype(function)>>(found);
      return found != nullptr;
    };
    const bool whole =
        find(driver.init, "cuInit") && find(driver.device, "cuDeviceGet") &&
        find(driver.retain_context, "cuDevicePrimaryCtxRetain") &&
        find(driver.push_context, "cuCtxPushCurrent_v2") &&
        find(driver.pop_context, "cuCtxPopCurrent_v2") && find(driver.load, "cuModuleLoadData") &&
        find(driver.function, "cuModuleGetFunction") && find(driver.launch, "cuLaunchKernel") &&
        find(driver.error_text, "cuGetErrorString");
    return whole && driver.init(0) == kSuccess ? &driver : nullptr;
  }
};

// Makes the context of LibTorch on a device current during its lifetime.
class InContext {
 public:
  InContext(const Driver& driver, void* context)
      : driver_(driver), answer_(driver.push_context(context)) {}
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  ~InContext() {
    void* context = nullptr;
    if (answer_ == kSuccess) driver_.pop_context(&context);
  }
  Answer answer() const { return answer_; }

 private:
  const Driver& driver_;
  const Answer answer_;
};

}  // namespace

// The program on one device.
struct DeviceProgram::Loaded {
  void* context = nullptr;
  std::vector<void*> kernels;  // empty: the program does not run there
};

DeviceProgram::DeviceProgram(std::string what, const char* ptx, std::vector<std::string> kernels)
    : what_(std::move(what)), ptx_(ptx), kernels_(std::move(kernels)) {}

std::shared_ptr<const DeviceProgram::Loaded> DeviceProgram::load(const c10::Device& device,
                                                                 std::string& problem) const {
  const auto program = std::make_shared<Loaded>();
  const Driver* const driver = Driver::find();
  if (driver == nullptr) {
    problem = "no driver of NVIDIA's works here";
    return program;
  }
  Answer answer = kSuccess;
  // The driver compiles on the thread that loads, which may be a host's with a small stack.
  const bool ran = host::run_on_own_thread([&] {
    int number = 0;
    void* module = nullptr;
    answer = driver->device(&number, device.index());
    if (answer == kSuccess) answer = driver->retain_context(&program->context, number);
    if (answer != kSuccess) return;
    const InContext within(*driver, program->context);
    answer = within.answer();
    if (answer == kSuccess) answer = driver->load(&module, ptx_);
    for (size_t i = 0; i < kernels_.size() && answer == kSuccess; ++i) {
      program->kernels.push_back(nullptr);
      answer = driver->function(&program->kernels.back(), module, kernels_[i].c_str());
    }
  });
  TORCH_CHECK_WITH(OutOfMemoryError, ran, "the system grants no thread to load the kernels of ",
                   what_);
  TORCH_CHECK_WITH(OutOfMemoryError, answer != kOutOfMemory, device.str(),
                   " has none left for the kernels of ", what_);
  if (answer != kSuccess) {
    program->kernels.clear();
    problem = cat("the driver refused them: ", driver->text_of(answer));
  }
  return program;
}

std::shared_ptr<const DeviceProgram::Loaded> DeviceProgram::loaded(const c10::Device& device) {
  std::string problem;
  std::shared_ptr<const Loaded> program;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<const Loaded>& known = devices_[device.index()];
    if (known == nullptr) known = load(device, problem);
    program = known;
  }
  // A log sink is the host's code: no lock is held while it runs.
  if (!problem.empty())
    log_warning("device ", device.str(), ": ", what_,
                " runs without the library's own kernels, and slower: ", problem);
  return program;
}

namespace {

// The driver's CUstream.
void* native_stream(const c10::Stream& stream) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
  return stream.native_handle();
#else
  // LibTorch 2.10 has it only in c10::cuda::CUDAStream, a c10::Stream whose header needs CUDA's.
  using StreamOf = void* (*)(const c10::Stream*);
  static const auto stream_of = reinterpret_cast<StreamOf>(
      system::find_symbol("libc10_cuda.so", "_ZNK3c104cuda10CUDAStream6streamEv"));
  TORCH_CHECK(stream_of != nullptr, "libc10_cuda.so has no CUDAStream::stream()");
  return stream_of(&stream);
#endif
}

}  // namespace

bool DeviceProgram::runs_on(const c10::Device& device) {
  return device.is_cuda() && !loaded(device)->kernels.empty();
}

void DeviceProgram::start_with(const c10::Device& device, size_t kernel, int64_t threads,
                               const void** arguments) {
  const std::shared_ptr<const Loaded> program = device.is_cuda() ? loaded(device) : nullptr;
  TORCH_CHECK(program != nullptr && !program->kernels.empty(), "a program that does not run on ",
              device.str());
  if (threads == 0) return;
  const Driver& driver = *Driver::find();
  const InContext within(driver, program->context);
  Answer answer = within.answer();
  if (answer == kSuccess) {
    const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
    const auto blocks = static_cast<unsigned>((threads + kThreadsOfBlock - 1) / kThreadsOfBlock);
    answer = driver.launch(program->kernels.at(kernel), blocks, 1, 1, kThreadsOfBlock, 1, 1, 0,
                           native_stream(stream), const_cast<void**>(arguments), nullptr);
  }
  if (answer == kSuccess) return;
  TORCH_CHECK_WITH(OutOfMemoryError, answer != kOutOfMemory, device.str(),
                   " has none left to start a kernel of ", what_);
  fail(Status::kDevice, "device ", device.str(), " did not start a kernel of ", what_, ": ",
       driver.text_of(answer));
}

}  // namespace contrastive::tensors
