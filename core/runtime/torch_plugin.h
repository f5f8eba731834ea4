// The part of the library that computes with LibTorch, libcontrastive-torch.so: training, CUDA,
// tasks that train. It is loaded when a call first needs it, with LibTorch before it, and then
// stays. Whoever only embeds carries neither.
//
// Once it is loaded the part offers itself to each layer that can use it: here, to core/encoder,
// core/eval and core/training (core/torch/plugin). A program that is linked with it, as unit tests
// are, has it from its start.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace contrastive::runtime {

// What the part says of itself.
struct TorchPlugin {
  void (*offer)() noexcept;               // fills the tables of the layers that can use it
  const char* version;                    // LibTorch's
  std::string (*libtorch_folder)();       // where LibTorch was loaded from
  int (*cuda_devices)(std::string* why);  // usable ones; 0 with the reason
  // What an exception of LibTorch's means: kOk where it is none of its.
  Status (*describe)(const std::exception& exception, std::string& message);
};

// The part, loaded now if it is not yet; from then on it is there for good. Any thread; the others
// wait for the one that loads. `for_what` begins the message where it cannot be: "training",
// "device = cuda". kUnsupported where it or LibTorch is not installed, kMismatch where it is of
// another build or LibTorch of another version, or another copy of the library came first, kLimit
// where the stack of this thread is too small for LibTorch (stack.h); the message says what was
// searched and what to install. A failure is forgotten: the next call looks again.
const TorchPlugin& need_torch_plugin(std::string_view for_what);
// Nullptr where it is not loaded.
const TorchPlugin* loaded_torch_plugin() noexcept;

// The folder of LibTorch, or the one that holds lib/, instead of what is searched; "" goes back to
// the search. kState where another one is loaded already.
void set_libtorch(const std::string& folder);

// Whether a thread is loading it now: what the part would offer by itself waits until all of it is
// there.
bool torch_plugin_is_loading() noexcept;

// Called by the part's own constructor. Its tables are filled, and the part is there for others,
// when all its constructors have run; at once in a program that is linked with it. A second part of
// the same process is left alone.
void provide_torch_plugin(const TorchPlugin& part) noexcept;

}  // namespace contrastive::runtime
