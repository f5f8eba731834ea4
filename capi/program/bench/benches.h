// The benchmarks: loading a model, embedding texts, training.
#pragma once

#include <string>
#include <vector>

#include "capi/program/embed.h"
#include "capi/program/settings.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

struct BenchSettings {
  int rounds = 5, warm_up = 2, steps = 10, latency = 200;
  int64_t batch_size = 0;  // for training; 0: the method's default
};

// Each returns a measurement as a JSON object: "model", "what", and figures in the units that their
// names state.
Json bench_load(const ModelArguments& arguments, const Settings& settings,
                const BenchSettings& how);
Json bench_encode(const cs_model* model, const TextBlock& texts, const EmbedArguments& embedding,
                  const BenchSettings& how);
Json bench_train(cs_model* model, const std::string& method, const std::string& train,
                 const Settings& settings, const BenchSettings& how);

}  // namespace contrastive::cli
