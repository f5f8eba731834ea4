#include "core/torch/nn/cpu/training_batch.h"

namespace contrastive::nn {

bool kernels_train(const Architecture& a) {
  const bool embeddings = a.max_position_embeddings > 0 && a.embedding_norm &&
                          !a.embedding_projection && a.embedding_scale == 1;
  const bool norms = a.norm == encoder::NormKind::kLayer && a.norm_bias &&
                     a.norm_place == encoder::NormPlace::kAfter && !a.final_norm;
  const bool places = a.rotary_base == 0 && a.relative_bias == encoder::RelativeBias::kNone &&
                      !a.causal && a.local.empty();
  const bool heads = a.query_width() == a.hidden_size && a.key_width() == a.hidden_size &&
                     a.attention_scale == 0 && !a.query_key_norm;
  const bool biases =
      a.attention_bias && a.attention_output_bias && a.intermediate_bias && a.output_bias;
  return embeddings && norms && places && heads && biases &&
         encoder::kernels_activate(a.hidden_act) && !a.gated &&
         a.drop_intermediate == encoder::DropRate::kNone && !a.drop_last;
}

}  // namespace contrastive::nn
