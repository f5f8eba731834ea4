#include "core/torch/run/joint_method.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/torch/run/tasks.h"

namespace contrastive::run {
namespace {

std::string name_of_task(size_t number) { return cat("task", number + 1); }

class JointMethod : public methods::EncoderMethod {
 public:
  explicit JointMethod(std::vector<TaskMethod> tasks) : tasks_(std::move(tasks)) {
    std::set<const void*> known;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      for (methods::Parameter parameter : tasks_[i].method->parameters()) {
        if (!known.insert(parameter.tensor.unsafeGetTensorImpl()).second) continue;
        if (i > 0) parameter.name = name_of_task(i) + "." + parameter.name;
        parameters_.push_back(std::move(parameter));
      }
    }
  }

  void prepare(const data::Dataset* data, const Cancel* cancel) override {
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const data::Dataset* own = data == nullptr ? nullptr : data->parts().at(i);
      try {
        tasks_[i].method->prepare(own, cancel);
      } catch (const Error& error) {
        if (error.status() == Status::kCancelled) throw;
        fail(error.status(), error.message(), " (task ", i + 1, ")");
      }
    }
  }

  void tokenize(data::Batch& batch) const override { of(batch).method->tokenize(batch); }
  methods::Views views(const data::Batch& batch) override { return of(batch).method->views(batch); }

  methods::LossTerms compare(const methods::Views& views, const data::Batch& batch) override {
    const TaskMethod& task = of(batch);
    const methods::LossTerms own = task.method->compare(views, batch);
    const std::string name = name_of_task(static_cast<size_t>(batch.task));
    methods::LossTerms terms;
    terms.values = {{"total", task.weight == 1 ? own.total() : own.total() * task.weight},
                    {name, own.total()}};
    for (size_t i = 0; own.values.size() > 1 && i < own.values.size(); ++i) {
      terms.values.emplace_back(name + "." + own.values[i].first, own.values[i].second);
    }
    return terms;
  }

  std::vector<methods::Parameter> parameters() const override { return parameters_; }
  bool trains_encoder() const override { return true; }
  int64_t dimension() const override { return first().dimension(); }
  void embed(const std::vector<std::string_view>& texts, float* embeddings,
             const Cancel* cancel) override {
    tasks_.front().method->embed(texts, embeddings, cancel);
  }

  // A further task's parameters have names that the first one does not have.
  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    std::shared_ptr<model::SentenceEncoder> result =
        model::sentence_encoder(first().result(weights));
    std::map<std::string, std::string> named = result->folder().prompts;
    const std::map<std::string, std::string> chosen = prompts();
    for (const auto& [name, text] : chosen) named[name] = text;
    if (!chosen.empty()) result->set_prompts(std::move(named));
    return result;
  }

  std::vector<std::string> remarks() const override { return first().remarks(); }

  std::map<std::string, std::string> prompts() const override {
    std::map<std::string, std::string> chosen;
    for (const TaskMethod& task : tasks_) {
      for (const auto& [name, text] : task.method->prompts())
        chosen.emplace(name, text);  // the earlier task's
    }
    return chosen;
  }

  methods::MethodState save_state() const override {
    methods::MethodState state;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      methods::MethodState own = tasks_[i].method->save_state();
      for (auto& [name, tensor] : own.tensors)
        state.tensors[name_of_task(i) + "." + name] = std::move(tensor);
      state.values[name_of_task(i)] = std::move(own.values);
    }
    return state;
  }

  void load_state(const methods::MethodState& state) override {
    const JsonObject values(state.values, "training state: method_state");
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const std::string prefix = name_of_task(i) + ".";
      methods::MethodState own;
      for (const auto& [name, tensor] : state.tensors) {
        if (begins_with(name, prefix)) own.tensors[name.substr(prefix.size())] = tensor;
      }
      own.values = values.at(name_of_task(i).c_str());
      tasks_[i].method->load_state(own);
    }
  }

 private:
  const methods::EncoderMethod& first() const { return *tasks_.front().method; }
  const TaskMethod& of(const data::Batch& batch) const {
    return tasks_.at(static_cast<size_t>(batch.task));
  }

  std::vector<TaskMethod> tasks_;
  std::vector<methods::Parameter> parameters_;
};

}  // namespace

std::unique_ptr<methods::Method> join_methods(std::vector<TaskMethod> tasks) {
  return std::make_unique<JointMethod>(std::move(tasks));
}

std::unique_ptr<methods::Method> make_method(const RunConfig& run, methods::MethodContext context) {
  context.config = without_tasks(run.user);
  if (run.further.empty()) return methods::make_method(*run.method, context);
  context.shared = methods::make_shared_encoder();
  std::vector<TaskMethod> tasks;
  for (size_t i = 0; i < run.tasks(); ++i) {
    const RunConfig& task = run.task(i);
    if (i > 0) context.config = task.user;
    tasks.push_back({of_task(run.user, i,
                             [&] {
                               return methods::as_encoder_method(
                                   methods::make_method(*task.method, context));
                             }),
                     task.weight});
  }
  return join_methods(std::move(tasks));
}

}  // namespace contrastive::run
