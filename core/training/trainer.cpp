#include "core/training/trainer.h"

#include <utility>

#include "core/runtime/torch_plugin.h"

namespace contrastive::training {
namespace {

const runtime::TorchPlugin& need_plugin() { return runtime::need_torch_plugin("training"); }

}  // namespace

std::shared_ptr<model::SentenceEncoder> Trainer::trained(bool best) const {
  auto encoder = model::sentence_encoder(result(best));
  check(encoder != nullptr, Status::kState,
        "the run trains a reranker, and a sentence encoder is needed");
  return encoder;
}

std::unique_ptr<Trainer> make_trainer(std::shared_ptr<model::Model> model,
                                      std::shared_ptr<const data::Dataset> data,
                                      const Config& config) {
  return need_plugin().make_trainer(std::move(model), std::move(data), config);
}

std::unique_ptr<Trainer> resume_trainer(const std::string& path,
                                        std::shared_ptr<model::Model> model,
                                        std::shared_ptr<const data::Dataset> data,
                                        const Config& overrides) {
  return need_plugin().resume_trainer(path, std::move(model), std::move(data), overrides);
}

void check_config(const Config& config, std::shared_ptr<const data::Dataset> data,
                  const std::optional<std::string>& model_folder) {
  need_plugin().check_training(config, std::move(data), model_folder);
}

Json describe_config(const std::string& method) { return need_plugin().describe_training(method); }

std::vector<std::string> method_names() { return need_plugin().method_names(); }

}  // namespace contrastive::training
