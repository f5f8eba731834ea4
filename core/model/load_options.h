// How to load a model folder: device, precision, and what to accept in its files.
#pragma once

#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/io/model_folder.h"
#include "core/model/replicas.h"
#include "core/text/tokenizer.h"

namespace contrastive::model {

// How to load the weights and the tokenizer of any model.
struct CheckpointOptions {
  std::string device = "cpu";  // "cpu", "cuda", "cuda:N"
  std::vector<std::string>
      devices;  // several devices, which share the batches of a call; empty for `device` alone
  int64_t threads = 0;  // of the calls with this model; 0 for all threads of the process
  std::string precision = "float32";  // "float32", "bfloat16" or "int8"
  bool allow_non_finite = false;
  bool allow_pickle = false;
  bool memory_map = false;
  text::InvalidUtf8 invalid_utf8 =
      text::InvalidUtf8::kReplace;  // in texts that are tokenised, embedded or trained on
  void visit(OptionVisitor& v);

 protected:
  void visit_places(OptionVisitor& v);
  void visit_files(OptionVisitor& v);
};

// How to load a sentence encoder.
struct LoadOptions : CheckpointOptions {
  std::string adapter;  // folder of a low-rank adapter to merge into the weights; "" for none
  std::string pooling;  // "" for the folder's own; kArgument if neither is set
  bool embeds = true;   // false: the model is only inspected or used to tokenise, and needs no
                        // pooling
  void visit(OptionVisitor& v);
};

// Reads the folder at `path` with these options and merges the adapter, if any. Reports wrong
// options before it reads a large file.
io::ModelFolder read_for(const CheckpointOptions& options, const std::string& path,
                         bool classifier = false, const std::string& adapter = {});

// Makes an encoder for each device. They take over the weights: those of `folder` are empty
// afterwards. Throws kArgument for options that contradict each other, kDevice, and kMismatch if
// the tokenizer does not fit the encoder.
Replicas make_replicas(io::ModelFolder& folder, const CheckpointOptions& options);

}  // namespace contrastive::model
