// Loads a model folder as a sentence encoder or a reranker, depending on what it contains.
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
// (io::is_reranker_folder), but if `options.pooling` is set, a reranker's folder is loaded as a
// sentence encoder. Throws kArgument for a reranker with keys that only sentence encoders have;
// otherwise the errors of SentenceEncoder::load and CrossEncoder::load.
std::shared_ptr<Model> load_model(const std::string& path, const ModelOptions& options);

}  // namespace contrastive::model
