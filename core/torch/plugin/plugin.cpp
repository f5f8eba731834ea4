// The part of the library that computes with LibTorch offers itself to the layers of the other
// (core/runtime/torch_plugin.h). It runs while the part is loaded: nothing here asks for memory or
// throws.
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <cstring>
#include <typeinfo>

#include "core/eval/task.h"
#include "core/torch/tensors/cuda.h"
#include "core/torch/methods/registry.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/runtime/torch_plugin.h"
#include "core/torch/run/trainer.h"
#include "core/training/trainer.h"
#include "core/torch/tasks/tasks.h"

namespace contrastive::plugin {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// LibTorch's CPU allocator reports exhaustion as a plain c10::Error; only its text tells.
bool is_allocation_failure(const std::string& text) {
  return text.find("DefaultCPUAllocator: can't allocate memory") != std::string::npos ||
         text.find("DefaultCPUAllocator: not enough memory") != std::string::npos ||
         text.find("CUDA out of memory") != std::string::npos;
}

// oneDNN's errors have no type that a caller can name; those of making something mean that there
// was no memory for it, for LibTorch asks oneDNN only for what it knows to be there.
bool is_allocation_failure(const std::exception& exception) {
  return std::strstr(typeid(exception).name(), "dnnl") != nullptr &&
         std::strncmp(exception.what(), "could not create", 16) == 0;
}

Status describe(const std::exception& exception, std::string& message) {
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

std::unique_ptr<training::Trainer> make_trainer(std::shared_ptr<model::Model> model,
                                                std::shared_ptr<const data::Dataset> data,
                                                const Config& config) {
  return run::make_trainer(std::move(model), std::move(data), config);
}

std::unique_ptr<training::Trainer> resume_trainer(const std::string& path,
                                                  std::shared_ptr<model::Model> model,
                                                  std::shared_ptr<const data::Dataset> data,
                                                  const Config& overrides) {
  return run::resume_trainer(path, std::move(model), std::move(data), overrides);
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const methods::MethodEntry& method : methods::all_methods()) names.emplace_back(method.name);
  return names;
}

constexpr const eval::Task* kTrainingTasks[] = {&eval::kGlueTask, &eval::kTransferTask,
                                                &eval::kSupervisedStsTask};

void offer() noexcept {
  encoder::provide_torch_encoders(nn::torch_encoders());
  eval::provide_training_tasks(kTrainingTasks);
  training::provide_trainers(
      {make_trainer, resume_trainer, run::check_config,
       [](const std::string& method) { return run::describe_config(method); }, method_names});
}

[[maybe_unused]] const bool provided = [] {
  runtime::provide_torch_plugin(
      {offer, TORCH_VERSION, tensors::libtorch_folder, tensors::cuda_device_count, describe});
  return true;
}();

}  // namespace
}  // namespace contrastive::plugin
