// The training plugin (libcontrastive-torch.so) contains everything that computes with LibTorch:
// training, CUDA and the evaluation tasks that train. It is loaded, after LibTorch, when a call
// first needs it, and stays loaded. A process that only embeds loads neither.
//
// The plugin provides one TorchPlugin (core/torch/plugin). The folders that use it, core/encoder,
// core/eval and core/training, get it from need_torch_plugin. In a program that is linked with
// core/torch/plugin, such as a unit test, it is available from the start.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/config.h"
#include "core/base/error.h"
#include "core/base/tensor.h"
#include "core/runtime/device.h"

namespace contrastive::data {
class Dataset;
}
namespace contrastive::encoder {
struct Architecture;
class Encoder;
}  // namespace contrastive::encoder
namespace contrastive::eval {
struct Task;
}
namespace contrastive::model {
class Model;
}
namespace contrastive::training {
class Trainer;
}

namespace contrastive::runtime {

// The functions of the plugin. No pointer is null in a loaded plugin.
struct TorchPlugin {
  // LibTorch.
  const char* libtorch_version = nullptr;
  std::string (*libtorch_folder)() = nullptr;       // of the loaded LibTorch
  int (*cuda_devices)(std::string* why) = nullptr;  // usable ones; 0 and the reason if none
  // The status and message of an exception that LibTorch threw; kOk for any other exception.
  Status (*describe_exception)(const std::exception& exception, std::string& message) = nullptr;

  // Encoders for every device and precision (core/encoder/encoder.h).
  std::shared_ptr<encoder::Encoder> (*make_encoder)(const encoder::Architecture& architecture,
                                                    const TensorMap& weights, const Device& device,
                                                    Precision precision) = nullptr;
  // Throws kDevice, which says what was searched for, where, and what was found.
  void (*require_device)(const Device& device) = nullptr;

  // The evaluation task of this name (core/eval/task.h); null if the plugin has none.
  const eval::Task* (*find_task)(std::string_view name) = nullptr;

  // Trainers (core/training/trainer.h).
  std::unique_ptr<training::Trainer> (*make_trainer)(std::shared_ptr<model::Model> model,
                                                     std::shared_ptr<const data::Dataset> data,
                                                     const Config& config) = nullptr;
  std::unique_ptr<training::Trainer> (*resume_trainer)(const std::string& path,
                                                       std::shared_ptr<model::Model> model,
                                                       std::shared_ptr<const data::Dataset> data,
                                                       const Config& overrides) = nullptr;
  void (*check_training)(const Config& config, std::shared_ptr<const data::Dataset> data,
                         const std::optional<std::string>& model_folder) = nullptr;
  Json (*describe_training)(const std::string& method) = nullptr;
  std::vector<std::string> (*method_names)() = nullptr;
};

// Returns the plugin, and loads it first if it is not loaded yet. Any thread may call this; the
// others wait for the one that loads. `for_what`, such as "training" or "device = cuda", begins the
// message of an error. kUnsupported: the plugin or LibTorch is not installed. kMismatch: the plugin
// is from another build, LibTorch has another version, or another copy of the library was loaded
// first. kLimit: the stack of this thread is too small for LibTorch (need_stack.h). The message
// says what was searched and what to install. A failure is not remembered: the next call searches
// again.
const TorchPlugin& need_torch_plugin(std::string_view for_what);
// Null if the plugin is not loaded.
const TorchPlugin* loaded_torch_plugin() noexcept;

// Uses LibTorch from this folder, or from lib/ in it, and does not search for it; "" searches
// again. kState if another LibTorch is loaded already.
void set_libtorch(const std::string& folder);

// The plugin calls this from a static constructor; `plugin` must live as long as the process. While
// need_torch_plugin loads it, other threads see the plugin only after all its constructors have
// run; in a program that is linked with it, they see it at once. A second plugin in the same
// process is ignored.
void provide_torch_plugin(const TorchPlugin& plugin) noexcept;

}  // namespace contrastive::runtime
