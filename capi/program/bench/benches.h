// The three things that are measured: loading a model, embedding texts with it, training it.
#pragma once

#include <string>
#include <vector>

#include "capi/program/embed.h"
#include "capi/program/settings.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

struct BenchSettings {
  int rounds = 5, warm_up = 2, steps = 10, latency = 200;
  int64_t batch_size = 0;  // of the training; 0: the method's own
};

// One measurement as a JSON object: "model", "what", and its figures; seconds, milliseconds and
// megabytes as the names say.
Json bench_load(const ModelArguments& arguments, const Settings& settings,
                const BenchSettings& how);
Json bench_encode(const cs_model* model, const TextBlock& texts, const EmbedArguments& embedding,
                  const BenchSettings& how);
Json bench_train(cs_model* model, const std::string& method, const std::string& train,
                 const Settings& settings, const BenchSettings& how);

}  // namespace contrastive::cli
