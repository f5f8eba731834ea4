// Prints the runs of consert_runs.h as JSON for consert.py: shape and first weights of the encoder
// and classifier, and for every update the token ids, the labels, and for each view the permuted
// positions and the elements that are cut.
#include <cstdio>

#include "core/torch/methods/consert/consert.h"
#include "core/torch/methods/consert/consert_presets.h"
#include "core/torch/methods/consert/consert_views.h"
#include "tests/golden/methods/consert_runs.h"
#include "tests/fixtures_folder.h"

namespace contrastive {
namespace {

Json numbers(const at::Tensor& tensor) {
  Json values = Json::array();
  for (int64_t i = 0; i < tensor.numel(); ++i)
    values.push_back(static_cast<double>(tensor.const_data_ptr<float>()[i]));
  return {{"shape", tensor.sizes().vec()}, {"values", values}};
}

Json view_of(const augment::Strategy& strategy, const text::TokenBatch& tokens,
             const data::Batch& batch, int64_t width, Purpose purpose, int64_t column) {
  const methods::DrawnView drawn =
      methods::draw_view(strategy, tokens, batch, width, {5, purpose, column, 0});
  Json cut = Json::array();
  for (int64_t i = 0; drawn.cut.defined() && i < drawn.cut.numel(); ++i) {
    if (drawn.cut.const_data_ptr<bool>()[i]) cut.push_back(i);
  }
  return {{"positions", drawn.positions},
          {"cut", cut},
          {"adversarial", strategy.adversarial},
          {"nothing", strategy.changes_nothing()}};
}

Json update_of(const golden::Run& run, int64_t update, const methods::Method& method,
               const methods::ConsertOptions& options, int64_t width) {
  data::Batch batch;
  batch.examples = golden::batch_of_update(run, update);
  batch.indices.assign(batch.examples.size(), -1);
  batch.step = update;
  method.tokenize(batch);
  Json json = {{"labels", Json::array()}, {"columns", Json::array()}};
  for (const data::Example& example : batch.examples)
    json["labels"].push_back(example.has_b ? static_cast<int64_t>(example.label) : 0);
  for (size_t column = 0; column < batch.tokens.size(); ++column) {
    const text::TokenBatch& tokens = batch.tokens[column];
    json["columns"].push_back(
        {{"ids", tokens.ids},
         {"offsets", tokens.offsets},
         {"view1", view_of(options.strategy1(), tokens, batch, width, Purpose::kViewOne,
                           static_cast<int64_t>(column))},
         {"view2", view_of(options.strategy2(), tokens, batch, width, Purpose::kViewTwo,
                           static_cast<int64_t>(column))}});
  }
  return json;
}

Json dump(const golden::Run& run, const std::string& models) {
  methods::MethodContext context;
  context.start = model::SentenceEncoder::load(models + "/" + run.model, [] {
    model::LoadOptions options;
    options.pooling = "mean";
    return options;
  }());
  context.seed = 5;
  const Config config = golden::config_of(run);
  for (const std::string& key : config.keys()) {
    if (key.rfind("consert.", 0) == 0) context.config.set_json(key, *config.find(key));
  }
  const auto method = methods::make_consert(context);
  const methods::ConsertOptions options = methods::read_consert_options(context.config);
  const encoder::Architecture& shape = context.start->shape();
  Json json = {{"name", run.name},
               {"config", methods::consert_defaults(context.config).to_json()},
               {"heads", shape.num_attention_heads},
               {"layers", shape.num_hidden_layers},
               {"eps", shape.layer_norm_eps},
               {"first_position", shape.first_position},
               {"weights", Json::object()},
               {"updates", Json::array()}};
  for (const std::string& key : config.keys()) json["config"][key] = *config.find(key);
  for (const methods::Parameter& p : method->parameters())
    json["weights"][p.name] = numbers(p.tensor.detach().contiguous());
  for (int64_t i = 0; i < golden::kUpdates; ++i)
    json["updates"].push_back(update_of(run, i, *method, options, shape.hidden_size));
  return json;
}

}  // namespace
}  // namespace contrastive

int main() {
  contrastive::Json all = contrastive::Json::array();
  for (const auto& run : contrastive::golden::kRuns)
    all.push_back(contrastive::dump(run, contrastive::fixtures() + "/models"));
  std::printf("%s\n", all.dump().c_str());
}
