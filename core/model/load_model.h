// Loads a model folder as what it holds: a sentence encoder or a reranker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/options.h"
#include "core/model/load_options.h"
#include "core/model/model.h"

namespace contrastive::model {

enum class KindChoice : int32_t { kAuto, kEncoder, kReranker };

// The config keys of cs_model_load.
struct ModelOptions : LoadOptions {
  KindChoice kind = KindChoice::kAuto;
  void visit(OptionVisitor& v);
};

// Returns a SentenceEncoder or a CrossEncoder. With kAuto the folder decides
// (io::is_reranker_folder); a reranker's folder is loaded as a sentence encoder where
// `options.pooling` says how to pool. kArgument for a reranker with keys that only sentence
// encoders have; otherwise the errors of SentenceEncoder::load and CrossEncoder::load.
std::shared_ptr<Model> load_model(const std::string& path, const ModelOptions& options);

}  // namespace contrastive::model
