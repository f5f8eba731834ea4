#include "capi/program/bench/benches.h"

#include <algorithm>
#include <cmath>

#include "capi/program/bench/measure.h"
#include "capi/program/failure.h"
#include "capi/program/signals.h"

namespace contrastive::cli {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

void add_times(Json& row, const Times& times) {
  row["seconds"] = number(times.median());
  row["seconds_min"] = number(times.least());
  row["seconds_max"] = number(times.most());
  row["measured"] = times.count();
}

}  // namespace

Json bench_load(const ModelArguments& arguments, const Settings& settings,
                const BenchSettings& how) {
  Times times;
  load_model(arguments, settings, false);  // puts the files into the page cache
  begin_peak_memory();
  for (int i = 0; i < how.rounds; ++i) {
    stop_if_asked();
    Model model;
    times.measure([&] { model = load_model(arguments, settings, false); });
  }
  Json row = {{"model", arguments.model}, {"what", "load"}};
  add_times(row, times);
  row["peak_mb"] = number(peak_megabytes());
  return row;
}

Json bench_encode(const cs_model* model, const TextBlock& texts, const EmbedArguments& embedding,
                  const BenchSettings& how) {
  const Embedder embedder(model, embedding);
  std::vector<float> embeddings;
  std::vector<int32_t> counts;
  for (int i = 0; i < std::max(how.warm_up, 1); ++i) embedder.embed(texts, embeddings, counts);
  int64_t tokens = 0;
  for (const int32_t count : counts) tokens += std::min(count, embedder.max_length());
  Times all, single;
  begin_peak_memory();
  for (int i = 0; i < how.rounds; ++i) {
    stop_if_asked();
    all.measure([&] { embedder.embed(texts, embeddings, counts); });
  }
  const double peak = peak_megabytes();
  for (int64_t i = -how.warm_up; i < std::min<int64_t>(how.latency, texts.size()); ++i) {
    TextBlock one;
    one.add(texts.text(std::max<int64_t>(i, 0)));
    if (i < 0) {
      embedder.embed(one, embeddings, counts);
    } else {
      single.measure([&] { embedder.embed(one, embeddings, counts); });
    }
    stop_if_asked();
  }
  Json row = {{"what", "encode"}, {"texts", texts.size()}, {"tokens", tokens}};
  add_times(row, all);
  row["texts_per_second"] = number(static_cast<double>(texts.size()) / all.median());
  row["tokens_per_second"] = number(static_cast<double>(tokens) / all.median());
  row["text_ms_p50"] = number(1e3 * single.quantile(0.5));
  row["text_ms_p99"] = number(1e3 * single.quantile(0.99));
  row["peak_mb"] = number(peak);
  return row;
}

Json bench_train(cs_model* model, const std::string& method, const std::string& train,
                 const Settings& settings, const BenchSettings& how) {
  Settings own = settings;
  const int64_t steps = how.warm_up + int64_t{how.rounds} * how.steps;
  own.set_flag("method", method);
  own.set_flag("max_steps", steps);
  if (how.batch_size > 0) own.set_flag("batch_size", how.batch_size);
  Outcome opened;
  const Dataset data(cs_dataset_open(train.c_str(), own.config("data", false).get(), opened));
  opened.check();
  const ConfigHandle config = own.config("train", true);
  Outcome outcome;
  begin_peak_memory();
  const Trainer trainer(cs_trainer_new(model, data.get(), config.get(), outcome));
  outcome.check();
  Times first, times;
  double tokens = 0;
  const auto step = [&] {
    Outcome stepped;
    const cs_status status = cs_train_step(trainer.get(), cancel_flag(), stepped);
    stepped.check();
    if (status == CS_DONE)
      throw usage_failure("the training was over before all updates were measured: fewer --rounds "
                          "or --steps, or more epochs");
  };
  first.measure(step);  // includes what a method computes only once
  for (int64_t i = 1; i < how.warm_up; ++i) step();
  for (int64_t i = std::max(how.warm_up, 1); i < steps; ++i) {
    times.measure(step);
    tokens += cs_trainer_metric(trainer.get(), "tokens");
  }
  const double epoch = cs_trainer_metric(trainer.get(), "steps_per_epoch");
  Json row = {{"what", "train"}, {"method", method}, {"examples", cs_dataset_size(data.get())}};
  add_times(row, times);
  row["first_seconds"] = number(first.median());
  row["steps_per_epoch"] = number(epoch);
  row["epoch_seconds"] = number(epoch * times.median());
  row["tokens_per_second"] = number(tokens / static_cast<double>(times.count()) / times.median());
  row["peak_mb"] = number(peak_megabytes());
  return row;
}

}  // namespace contrastive::cli
