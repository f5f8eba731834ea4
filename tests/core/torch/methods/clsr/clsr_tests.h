// CLSR on the tiny model.
#pragma once

#include <memory>
#include <string>

#include "core/torch/methods/clsr/clsr.h"
#include "core/torch/methods/registry.h"
#include "tests/core/torch/run/toy.h"

namespace contrastive::methods {

inline std::unique_ptr<EncoderMethod> make(
    const std::string& json, const std::shared_ptr<model::SentenceEncoder>& start = tiny_model()) {
  MethodContext context;
  context.start = start;
  context.config = Config::parse(json);
  find_method("clsr").describe(context.config);
  return as_encoder_method(make_clsr(context));
}

}  // namespace contrastive::methods
