#include "core/torch/methods/lora_options.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/named_by_key.h"

namespace contrastive::methods {

void LoraOptions::visit(OptionVisitor& v) {
  v.integer("lora_rank", rank, between(0, 4096),
            OptionDoc(
                "train low-rank adapters of this rank for the encoder's matrices, which do not "
                "change: far less memory for gradients and moments; 0 = train the encoder itself")
                .source("LoRA (Hu et al., 2021), as peft computes it"));
  v.real("lora_alpha", alpha, above(0, 1e6),
         OptionDoc("the output of the adapters is multiplied by lora_alpha / lora_rank")
             .source("peft: 8"));
  v.real(
      "lora_dropout", dropout, {0, 1, false, true},
      OptionDoc("dropout probability for the input of an adapter, in training").source("peft: 0"));
  v.list(
      "lora_targets", targets,
      OptionDoc(
          "matrices with adapters: query, key, value, output (of attention), ffn, all, or names of "
          "modules as peft's target_modules has them, such as q_lin or attention.output.dense")
          .source("query and value: LoRA section 7.1, and peft's for BERT"));
}

std::vector<io::AdapterPlace> LoraOptions::places(const encoder::Architecture& shape,
                                                  const std::string& prefix) const {
  if (!on()) return {};
  check(!targets.empty(), Status::kArgument, "config key '", prefix,
        "lora_targets' is empty, but '", prefix, "lora_rank' requests adapters");
  const std::vector<io::AdapterPlace> places =
      named_by_key(prefix + "lora_targets", [&] { return io::adapter_targets(shape, targets); });
  for (const io::AdapterPlace& place : places) {
    check(rank <= std::min(place.in, place.out), Status::kArgument, "config key '", prefix,
          "lora_rank' is ", rank, ", but the module ", place.module, " is ", place.out, " x ",
          place.in, ": an adapter of that rank is larger than the matrix");
  }
  return places;
}

}  // namespace contrastive::methods
