// Vectors that may be cut (Matryoshka representation learning, Kusupati et al., 2022;
// core/torch/methods/README.md 6). Wraps any method that compares sentence vectors: its loss is
// also computed on only the first numbers of the vectors, at several dimensions, as in
// sentence-transformers' MatryoshkaLoss.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/torch/methods/method.h"
#include "core/torch/methods/registry.h"

namespace contrastive::methods {

struct MatryoshkaOptions {
  static constexpr const char* kPrefix = "matryoshka.";

  std::vector<int64_t> dims;    // empty: whole vectors are compared, and nothing is cut
  std::vector<double> weights;  // of the loss at each dimension; empty: 1 each
  int64_t dims_per_step = 0;    // how many are drawn for each update; 0 = all

  bool on() const { return !dims.empty(); }
  void visit(OptionVisitor& v);
  // kArgument names the key: for choices that contradict each other, and for a method whose vectors
  // cannot be cut.
  void validate(const Config& config, const char* method, const MethodTraits& traits) const;
};

// Wraps `method`: its loss becomes the weighted sum of its losses at the dimensions. `traits` are
// those of `method`. kArgument for a dimension above the model's.
std::unique_ptr<Method> cut_vectors(std::unique_ptr<EncoderMethod> method,
                                    const MatryoshkaOptions& options, const MethodTraits& traits,
                                    uint64_t seed);

}  // namespace contrastive::methods
