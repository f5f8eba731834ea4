#include "core/torch/run/group_trainer.h"

#include <exception>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/host/helper_threads.h"
#include "core/base/temporary.h"
#include "core/torch/dist/world.h"
#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::run {
namespace {

// Copies the model to another device through a temporary folder, with the same weights.
std::shared_ptr<model::Model> on_device(const std::shared_ptr<model::Model>& model,
                                        const std::string& device) {
  if (model->encoder().device() == runtime::parse_device(device)) return model;
  const ScratchFolder scratch(temporary_folder() + "/contrastive-rank");
  model->save(scratch.path() + "/model");
  model::LoadOptions options;
  options.device = device;
  options.precision = runtime::precision_name(model->encoder().precision());
  options.allow_non_finite = true;
  if (model::cross_encoder(model) != nullptr)
    return model::CrossEncoder::load(scratch.path() + "/model", options);
  return model::SentenceEncoder::load(scratch.path() + "/model", options);
}

// The rank that failed first is the cause; the errors of the others about a missing rank are the
// consequence.
bool is_consequence(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& found) {
    return found.status() == Status::kDistributed;
  } catch (...) {
    return false;
  }
}

}  // namespace

GroupTrainer::GroupTrainer(const std::vector<std::string>& devices, dist::Milliseconds timeout,
                           std::shared_ptr<model::Model> model, const Make& make)
    : ranks_(devices.size()), worlds_(devices.size()) {
  check(model != nullptr, Status::kArgument, "training needs a model");
  std::vector<std::shared_ptr<model::Model>> models;
  std::map<std::string, std::shared_ptr<model::Model>>
      copies;  // one per device: each rank trains its own snapshot
  for (const std::string& device : devices) {
    const auto [copy, fresh] = copies.emplace(device, nullptr);
    if (fresh) copy->second = on_device(model, device);
    models.push_back(copy->second);
  }
  store_ = dist::Store::in_process();
  on_all([&](size_t rank) {
    const dist::Link link{static_cast<int>(rank), static_cast<int>(devices.size()), timeout, "",
                          "127.0.0.1"};
    worlds_[rank] = std::make_shared<dist::World>(store_, link);
    ranks_[rank] = make(models[rank], worlds_[rank]);
  });
}

GroupTrainer::~GroupTrainer() = default;

void GroupTrainer::on_all(const std::function<void(size_t rank)>& body) {
  std::vector<std::exception_ptr> errors(ranks_.size());
  const auto run = [&](size_t rank) noexcept {
    try {
      body(rank);
    } catch (...) {
      errors[rank] = std::current_exception();
    }
  };
  {
    host::HelperThreads threads;
    for (size_t rank = 1; rank < ranks_.size(); ++rank) {
      if (threads.start([&run, rank] { run(rank); })) continue;
      const std::string why = cat("the system grants no thread for rank ", rank);
      errors[rank] = std::make_exception_ptr(Error(Status::kNoMemory, why));
      if (worlds_[rank] != nullptr) {
        worlds_[rank]->leave(why);
      } else {
        store_->set(dist::World::kRefused, why);  // so that no rank waits for it
      }
    }
    run(0);
  }
  std::exception_ptr first;
  for (const std::exception_ptr& error : errors) {
    if (error && (!first || (is_consequence(first) && !is_consequence(error)))) first = error;
  }
  if (first) std::rethrow_exception(first);
}

Status GroupTrainer::step(const Cancel* cancel) {
  std::vector<Status> statuses(ranks_.size());
  on_all([&](size_t rank) { statuses[rank] = ranks_[rank]->step(cancel); });
  return statuses.front();
}

Status GroupTrainer::step_batch(std::vector<data::Example> batch, const Cancel* cancel) {
  std::vector<Status> statuses(ranks_.size());
  on_all([&](size_t rank) { statuses[rank] = ranks_[rank]->step_batch(batch, cancel); });
  return statuses.front();
}

void GroupTrainer::evaluate(const Cancel* cancel) {
  on_all([&](size_t rank) { ranks_[rank]->evaluate(cancel); });
}

}  // namespace contrastive::run
