// The views by which a frozen encoder guides the tuned one (SG-OPT, Kim et al., 2021, section 3.1):
// the hidden states of each layer, pooled.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/nn/torch_encoder.h"

namespace contrastive::methods {

class LayerViews {
 public:
  // `pooling`: max, mean or cls, over the layers `first` to `last` of `teacher`, 0 = the
  // embeddings. The teacher is never changed.
  LayerViews(std::shared_ptr<model::SentenceEncoder> teacher, const std::string& pooling,
             int64_t first, int64_t last);

  // Without a graph, in evaluation mode, by the fast inference path: [texts, layers, hidden].
  at::Tensor operator()(const PackedViews& texts) const;
  // The same with dropout, whose masks come from the views' streams.
  at::Tensor with_dropout(const PackedViews& texts, uint64_t seed) const;
  // The same from hidden states X[0] ... X[L] that the caller computed, with their graph.
  at::Tensor pool(const std::vector<at::Tensor>& states, const PackedViews& texts) const;

  int64_t layers() const { return static_cast<int64_t>(poolings_.size()); }

 private:
  std::shared_ptr<model::SentenceEncoder> teacher_;
  nn::TrainableEncoder modules_;            // the teacher's, for views with a graph or dropout
  std::vector<encoder::Pooling> poolings_;  // one for each layer
};

}  // namespace contrastive::methods
