#include "core/model/load_model.h"

#include "core/base/error.h"
#include "core/io/classifier.h"
#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::model {
namespace {

bool loads_reranker(const std::string& path, const ModelOptions& options) {
  if (options.kind != KindChoice::kAuto) return options.kind == KindChoice::kReranker;
  return options.pooling.empty() && io::is_reranker_folder(path);
}

}  // namespace

void ModelOptions::visit(OptionVisitor& v) {
  v.choice("kind", kind,
           {{"auto", KindChoice::kAuto},
            {"encoder", KindChoice::kEncoder},
            {"reranker", KindChoice::kReranker}},
           "what the folder is loaded as; auto: a reranker if the folder says so and no pooling is "
           "set, otherwise a sentence encoder");
  LoadOptions::visit(v);
}

std::shared_ptr<Model> load_model(const std::string& path, const ModelOptions& options) {
  if (!loads_reranker(path, options)) return SentenceEncoder::load(path, options);
  check(options.pooling.empty(), Status::kArgument,
        "pooling is set, and kind is reranker: a reranker has no pooling. Leave pooling out, or "
        "use kind = encoder");
  check(options.adapter.empty(), Status::kArgument, "adapter is set, and ", path,
        " is loaded as a reranker: adapters are merged into sentence encoders only. Leave adapter "
        "out, or set pooling");
  return CrossEncoder::load(path, options);
}

}  // namespace contrastive::model
