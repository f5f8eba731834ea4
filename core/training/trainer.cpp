#include "core/training/trainer.h"

#include <utility>

#include "core/runtime/torch_part.h"

namespace contrastive::training {
namespace {

Trainers provided{};

const Trainers& trainers() {
  runtime::need_torch_part("training");
  return provided;
}

}  // namespace

std::unique_ptr<Trainer> make_trainer(std::shared_ptr<model::SentenceEncoder> model, std::shared_ptr<const data::Dataset> data, const Config& config) {
  return trainers().make(std::move(model), std::move(data), config);
}

std::unique_ptr<Trainer> resume_trainer(const std::string& path, std::shared_ptr<model::SentenceEncoder> model,
                                        std::shared_ptr<const data::Dataset> data, const Config& overrides) {
  return trainers().resume(path, std::move(model), std::move(data), overrides);
}

void check_config(const Config& config, std::shared_ptr<const data::Dataset> data, const std::optional<std::string>& model_folder) {
  trainers().check(config, std::move(data), model_folder);
}

Json describe_config(const std::string& method) { return trainers().describe(method); }

std::vector<std::string> method_names() { return trainers().methods(); }

void provide_trainers(const Trainers& trainers) noexcept { provided = trainers; }

}  // namespace contrastive::training
