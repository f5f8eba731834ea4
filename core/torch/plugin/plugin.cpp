// Hands the training plugin's functions to the rest of the library (core/runtime/torch_plugin.h).
// `provided` is initialised while the plugin is loaded: this must neither allocate nor throw.
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <cstring>
#include <typeinfo>

#include "core/eval/task.h"
#include "core/torch/tensors/cuda.h"
#include "core/torch/methods/registry.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/runtime/torch_plugin.h"
#include "core/torch/run/training_run.h"
#include "core/torch/tasks/task_list.h"

namespace contrastive::plugin {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// LibTorch's CPU allocator reports exhaustion as a plain c10::Error; only its text tells.
bool is_allocation_failure(const std::string& text) {
  return text.find("DefaultCPUAllocator: can't allocate memory") != std::string::npos ||
         text.find("DefaultCPUAllocator: not enough memory") != std::string::npos ||
         text.find("CUDA out of memory") != std::string::npos;
}

// oneDNN's errors have no type that a caller can name. LibTorch creates only oneDNN objects that
// are supported, so an error while creating one means that there was no memory for it.
bool is_allocation_failure(const std::exception& exception) {
  return std::strstr(typeid(exception).name(), "dnnl") != nullptr &&
         std::strncmp(exception.what(), "could not create", 16) == 0;
}

Status describe_exception(const std::exception& exception, std::string& message) {
  if (const auto* memory = dynamic_cast<const c10::OutOfMemoryError*>(&exception)) {
    message = "out of device memory: " + first_line(memory->what_without_backtrace());
    return Status::kNoMemory;
  }
  if (const auto* error = dynamic_cast<const c10::Error*>(&exception)) {
    const std::string text = error->what_without_backtrace();
    const bool memory = is_allocation_failure(text);
    message = memory ? "out of memory: " + first_line(text) : "LibTorch: " + text;
    return memory ? Status::kNoMemory : Status::kInternal;
  }
  if (!is_allocation_failure(exception)) return Status::kOk;
  message = std::string("out of memory: ") + exception.what();
  return Status::kNoMemory;
}

Json describe_training(const std::string& method) { return run::describe_config(method); }

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const methods::MethodEntry& method : methods::all_methods()) names.emplace_back(method.name);
  return names;
}

constexpr runtime::TorchPlugin make_plugin() {
  runtime::TorchPlugin plugin;
  plugin.libtorch_version = TORCH_VERSION;
  plugin.libtorch_folder = tensors::libtorch_folder;
  plugin.cuda_devices = tensors::cuda_device_count;
  plugin.describe_exception = describe_exception;
  plugin.make_encoder = nn::make_torch_encoder;
  plugin.require_device = tensors::require_device;
  plugin.find_task = eval::find_training_task;
  plugin.make_trainer = run::make_trainer;
  plugin.resume_trainer = run::resume_trainer;
  plugin.check_training = run::check_config;
  plugin.describe_training = describe_training;
  plugin.method_names = method_names;
  return plugin;
}

constexpr runtime::TorchPlugin kPlugin = make_plugin();

[[maybe_unused]] const bool provided = [] {
  runtime::provide_torch_plugin(kPlugin);
  return true;
}();

}  // namespace
}  // namespace contrastive::plugin
