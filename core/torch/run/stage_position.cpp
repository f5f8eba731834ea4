#include "core/torch/run/stage_position.h"

#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/sentence_encoder.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/torch/run/resume_rules.h"
#include "core/torch/tensors/tensors.h"

namespace contrastive::run {
namespace {

constexpr int64_t kLargestStage = 1000;

// The data of the first stage are compared as the run's data. If that stage is over, they do not
// matter any more.
void expect_same_stage_data(const JsonObject& fields, const StagePlan& plan) {
  const std::vector<std::string> now = fingerprints(plan);
  const Json& saved = fields.at("stage_data");
  check(saved.is_array() && saved.size() == now.size(), Status::kCorrupt, fields.source(),
        ": stage_data does not fit the stages");
  for (size_t i = 0; i < now.size(); ++i) {
    check(saved[i] == now[i], Status::kMismatch, "the run cannot be resumed: the data of 'stage",
          i + 2, ".dataset' were ", dump_ascii(saved[i]), " and are '", now[i], "'");
  }
}

}  // namespace

std::string StagePosition::place() const {
  return staged() ? cat(" of stage ", index_ + 1) : std::string();
}

std::string StagePosition::checkpoints_in(const std::string& folder) const {
  return staged() ? cat(folder, "/stage", index_ + 1) : folder;
}

StagePosition StagePosition::next() const {
  StagePosition next = *this;
  ++next.index_;
  return next;
}

void StagePosition::begin_with(const model::Model& start) {
  if (staged() && first_model_.empty()) first_model_ = start.fingerprint();
}

void StagePosition::report(Records& records) const {
  if (staged()) records.set("stage", static_cast<double>(index_ + 1));
}

void StagePosition::save(TrainingState& state, const model::Model& start) const {
  if (!staged()) return;
  state.fields["stage"] = index_;
  state.fields["stages"] = plan_.whole.to_json();
  state.fields["stage_data"] = fingerprints(plan_);
  if (index_ == 0) return;
  state.fields["first_model"] = first_model_;
  state.fields["start_poolings"] = start.folder().poolings;
  state.fields["start_dense"] = start.folder().dense.size();
  for (const auto& [name, tensor] : start.encoder().named_parameters())
    state.tensors["start." + name] = tensors::to_torch(tensor);
}

StagePosition StagePosition::restored(const TrainingState& state, const Config& overrides,
                                      const model::Model* first) {
  const JsonObject fields = state.read();
  StagePosition position;
  if (!fields.has("stages")) return position;
  position.index_ = static_cast<size_t>(fields.integer("stage", 0, kLargestStage));
  const Config whole =
      with_stage_overrides(saved_config(state, "stages"), position.index_, overrides);
  position.plan_ =
      plan_stages(whole, first == nullptr ? nullptr : &first->encoder().architecture());
  check(position.index_ < position.plan_.stages.size(), Status::kCorrupt, fields.source(),
        ": the run is in stage ", position.index_ + 1, " of ", position.plan_.stages.size());
  open_datasets(position.plan_);
  expect_same_stage_data(fields, position.plan_);
  if (position.index_ > 0) position.first_model_ = fields.string("first_model");
  return position;
}

std::shared_ptr<model::Model> StagePosition::restored_start(
    const TrainingState& state, const std::shared_ptr<model::Model>& first) const {
  if (index_ == 0) return first;
  check(first->fingerprint() == first_model_, Status::kMismatch,
        "the run cannot be resumed: model was '", first_model_, "' and is '", first->fingerprint(),
        "'");
  const auto encoder = model::sentence_encoder(first);
  check(encoder != nullptr, Status::kState, "a run in stages continues with a sentence encoder");
  const JsonObject fields = state.read();
  std::shared_ptr<model::SentenceEncoder> start = encoder->snapshot();
  std::vector<std::string> poolings;
  for (const Json& pooling : fields.at("start_poolings")) {
    check(pooling.is_string(), Status::kFormat, fields.source(), ": start_poolings holds ",
          dump_ascii(pooling), ", not the name of a pooling");
    poolings.push_back(pooling.get<std::string>());
  }
  start->set_pooling(std::move(poolings));
  if (fields.integer("start_dense", 0, 1 << 20) == 0) start->set_dense({});
  if (start->encoder().precision() != runtime::Precision::kFloat32)
    return start;  // no stage before has trained it
  for (const auto& [name, tensor] : nn::trainable(start->encoder()).named_parameters()) {
    const auto found = state.tensors.find("start." + name);
    check(found != state.tensors.end() && found->second.sizes() == tensor.sizes(),
          Status::kMismatch, "the saved run has no weight '", name,
          "' of this shape that its stage began with");
    tensor.detach().copy_(found->second);
  }
  return start;
}

}  // namespace contrastive::run
