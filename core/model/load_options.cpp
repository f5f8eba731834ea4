#include "core/model/load_options.h"

#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/encoder/encoder.h"
#include "core/runtime/device.h"
#include "core/runtime/threads.h"
#include "core/system/processors.h"

namespace contrastive::model {
namespace {

// Reports wrong options before a large file is read.
void check_load(const CheckpointOptions& options) {
  const runtime::Precision precision = runtime::parse_precision(options.precision);
  const std::vector<runtime::Device> devices = parse_devices(options.device, options.devices);
  const runtime::Device& device = devices[0];
  check(precision != runtime::Precision::kInt8 || device.is_cpu(), Status::kArgument,
        "precision is int8, which is computed on the CPU, but device is ", device.str(),
        ": use device = cpu, or precision = bfloat16");
  check(precision == runtime::Precision::kFloat32 || !device.is_cpu() || !options.memory_map,
        Status::kArgument, "precision is ", options.precision,
        ", which rounds the weights into new memory, but memory_map keeps them in the file: "
        "use one of the two");
  for (const runtime::Device& each : devices) encoder::require_device(each);
}

}  // namespace

void CheckpointOptions::visit_places(OptionVisitor& v) {
  v.text("device", device, "where the model computes: cpu, cuda or cuda:N");
  v.list("devices", devices,
         "several devices to embed with, instead of device, such as cuda:0,cuda:1; each holds the "
         "weights and takes the next batch of a call when it is free. Training and evaluation use "
         "the first");
  v.integer("threads", threads, between(0, runtime::kMaxThreads),
            OptionDoc("threads that each call with this model uses at most, so that background "
                      "work leaves processors to others; 0 = all threads of the process")
                .unit("threads"));
  v.name("precision", precision, {"float32", "bfloat16", "int8"},
         "the number format of weights and products; int8: on the CPU, not for training, a quarter "
         "of the memory");
}

void CheckpointOptions::visit_files(OptionVisitor& v) {
  v.flag("allow_non_finite", allow_non_finite,
         "accept NaN and infinity in weights; a text whose vector contains them is still an error");
  v.flag("allow_pickle", allow_pickle,
         "if a folder has no model.safetensors, read the tensors of the state dict in "
         "pytorch_model.bin, without running any code from it; false: such a folder is refused");
  v.flag("memory_map", memory_map,
         "map the weight files instead of reading them, on the CPU with precision = float32: less "
         "memory, faster loading. Saving over the folder is safe; writing to a file in place "
         "changes the model or ends the process");
  v.choice("invalid_utf8", invalid_utf8,
           {{"replace", text::InvalidUtf8::kReplace}, {"error", text::InvalidUtf8::kError}},
           "malformed UTF-8 in a text: read it as U+FFFD, or refuse the text and name its index "
           "and the byte");
}

void CheckpointOptions::visit(OptionVisitor& v) {
  visit_places(v);
  visit_files(v);
}

void LoadOptions::visit(OptionVisitor& v) {
  visit_places(v);
  v.text("adapter", adapter,
         OptionDoc("folder of a low-rank adapter to merge into the weights (adapter_config.json, "
                   "adapter_model.safetensors, as peft and METHOD.lora_rank write them); empty = "
                   "none. An adapter of another shape is refused, and so is one that this library "
                   "trained on other weights")
             .source("peft 0.21"));
  v.text("pooling", pooling,
         "how token states become one vector; empty = as the model folder states");
  v.flag("embeds", embeds,
         "false: only tokenise with the model and inspect it, so that a folder that states no "
         "pooling can be loaded");
  visit_files(v);
}

io::ModelFolder read_for(const CheckpointOptions& options, const std::string& path, bool classifier,
                         const std::string& adapter) {
  check_load(options);
  io::ReadOptions read;
  read.allow_non_finite = options.allow_non_finite;
  read.allow_pickle = options.allow_pickle;
  read.memory_map = options.memory_map;
  read.invalid_utf8 = options.invalid_utf8;
  read.classifier = classifier;
  read.adapter = adapter;
  return io::read_model_folder(path, read);
}

Replicas make_replicas(io::ModelFolder& folder, const CheckpointOptions& options) {
  check_load(options);
  check(folder.tokenizer != nullptr, Status::kInternal, "a model needs a tokenizer");
  const runtime::Precision precision = runtime::parse_precision(options.precision);
  std::vector<std::shared_ptr<encoder::Encoder>> encoders;
  for (const runtime::Device& device : parse_devices(options.device, options.devices)) {
    encoders.push_back(encoder::make_encoder(folder.encoder, folder.weights, device, precision));
  }
  folder.weights.clear();
  // The original floats were allocated below the rounded weights, so the allocator would keep their
  // pages.
  if (precision != runtime::Precision::kFloat32) system::return_freed_memory();
  check(folder.tokenizer->vocab_size() <= folder.encoder.vocab_size, Status::kMismatch,
        "the tokenizer has ids up to ", folder.tokenizer->vocab_size() - 1,
        ", but the encoder's vocab_size is ", folder.encoder.vocab_size,
        ": they do not belong together");
  return Replicas(std::move(encoders), static_cast<int>(options.threads));
}

}  // namespace contrastive::model
