// How a folder becomes encoders that compute: where, in what, and what is accepted of its files.
#pragma once

#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/io/model_folder.h"
#include "core/model/replicas.h"
#include "core/text/tokenizer.h"

namespace contrastive::model {

// How weights and tokenizer of any model are loaded.
struct CheckpointOptions {
  std::string device = "cpu";  // "cpu", "cuda", "cuda:N"
  std::vector<std::string>
      devices;  // several of them, which share the batches of a call; empty: `device` alone
  std::string precision = "float32";  // "float32", "bfloat16" or "int8"
  bool allow_non_finite = false;
  bool allow_pickle = false;
  bool memory_map = false;
  text::InvalidUtf8 invalid_utf8 =
      text::InvalidUtf8::kReplace;  // of a text that is tokenised, embedded or trained on
  void visit(OptionVisitor& v);

 protected:
  void visit_places(OptionVisitor& v);
  void visit_files(OptionVisitor& v);
};

// How a sentence encoder is loaded.
struct LoadOptions : CheckpointOptions {
  std::string adapter;  // folder of a low-rank adapter that is merged into the weights; "" = none
  std::string
      pooling;  // "" = the folder's own; kArgument where the folder has none and none is given
  bool embeds = true;  // false: the model only tokenises and is looked at, and needs no pooling
  void visit(OptionVisitor& v);
};

// The folder at `path` as these options want it read, with an adapter merged into it where one is
// named; wrong options are found before a large file is.
io::ModelFolder read_for(const CheckpointOptions& options, const std::string& path,
                         bool classifier = false, const std::string& adapter = {});

// An encoder on each device, which own the weights from now on: those of `folder` are empty then.
// kArgument for options that contradict each other, kDevice, kMismatch where tokenizer and encoder
// do not belong together.
Replicas make_replicas(io::ModelFolder& folder, const CheckpointOptions& options);

}  // namespace contrastive::model
