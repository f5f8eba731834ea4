// Prints the runs of clear_runs.h as JSON for clear.py: the first weights of everything that
// trains, and for every update the masked and augmented token ids, and the ids to predict with
// their positions.
#include <cstdio>

#include "core/torch/methods/clear/clear_views.h"
#include "tests/golden/methods/clear_runs.h"
#include "tests/fixtures_folder.h"

namespace contrastive {
namespace {

Json numbers(const at::Tensor& tensor) {
  Json values = Json::array();
  for (int64_t i = 0; i < tensor.numel(); ++i)
    values.push_back(static_cast<double>(tensor.const_data_ptr<float>()[i]));
  return {{"shape", tensor.sizes().vec()}, {"values", values}};
}

Json update_of(int64_t update, const methods::Method& method, const methods::ClearViews& views) {
  data::Batch batch;
  batch.examples = golden::batch_of_update(update);
  batch.indices.assign(batch.examples.size(), -1);
  batch.step = update;
  method.tokenize(batch);
  const methods::ClearBatch made = views.make(batch, batch.tokens.front());
  Json texts = Json::array();
  for (const text::TokenBatch& tokens : made.texts)
    texts.push_back({{"ids", tokens.ids}, {"offsets", tokens.offsets}});
  return {{"texts", texts},
          {"masked", made.masked},
          {"positions", made.positions},
          {"labels", made.labels}};
}

Json dump(const golden::Run& run, const std::string& models) {
  methods::MethodContext context;
  model::LoadOptions load;
  load.pooling = "mean";
  context.start = model::SentenceEncoder::load(models + "/" + run.model, load);
  context.seed = 5;
  const Config config = golden::config_of(run);
  for (const std::string& key : config.keys()) {
    if (key.rfind("clear.", 0) == 0) context.config.set_json(key, *config.find(key));
  }
  const auto method = methods::make_clear(context);
  const methods::ClearOptions options = methods::read_clear_options(context.config);
  const encoder::Architecture& shape = context.start->shape();
  const int64_t rows = shape.vocab_size + (options.del_token == "new" ? 1 : 0);
  const methods::ClearViews views(options, context.start->tokenizer(), rows,
                                  context.start->max_length(), context.seed);
  Json json = {{"name", run.name},
               {"config", methods::describe_clear(context.config).training_defaults.to_json()},
               {"heads", shape.num_attention_heads},
               {"layers", shape.num_hidden_layers},
               {"vocabulary", shape.vocab_size},
               {"eps", shape.layer_norm_eps},
               {"first_position", shape.first_position},
               {"weights", Json::object()},
               {"updates", Json::array()}};
  for (const std::string& key : config.keys()) json["config"][key] = *config.find(key);
  for (const methods::Parameter& p : method->parameters())
    json["weights"][p.name] = numbers(p.tensor.detach().contiguous());
  for (int64_t i = 0; i < golden::kUpdates; ++i)
    json["updates"].push_back(update_of(i, *method, views));
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
