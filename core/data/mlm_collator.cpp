#include "core/data/mlm_collator.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/sample.h"

namespace contrastive::data {

void MlmOptions::visit(OptionVisitor& v) {
  v.real("mlm_rate", rate, inside(0, 1),
         OptionDoc("share of the tokens that are chosen for prediction")
             .source("BERT; CLEAR 4.1: 0.15"));
  v.real("mlm_mask", mask_share, between(0, 1),
         OptionDoc("share of the chosen tokens that become the mask token").source("BERT: 0.8"));
  v.real("mlm_random", random_share, between(0, 1),
         OptionDoc("share of the chosen tokens that become a random token; the rest stay unchanged")
             .source("BERT: 0.1"));
  v.choice("mlm_special", include_special, {{"exclude", false}, {"include", true}},
           OptionDoc("whether special tokens may be chosen for prediction")
               .source("include: CLEAR's code"));
}

void MlmOptions::validate(const std::string& prefix) const {
  check(mask_share + random_share <= 1 + 1e-12, Status::kArgument, "config keys '", prefix,
        "mlm_mask' and '", prefix, "mlm_random' add up to ", mask_share + random_share,
        ": together they may be at most 1");
}

MaskedText mask_text(const int32_t* ids, int64_t length, const MlmOptions& options,
                     const text::TokenRoles& roles, Rng& rng) {
  MaskedText result;
  result.ids.assign(ids, ids + length);
  std::vector<int64_t> candidates;
  for (int64_t i = 0; i < length; ++i) {
    if (options.include_special || roles.stands_for_text(ids[i])) candidates.push_back(i);
  }
  const auto n = static_cast<int64_t>(candidates.size());
  const int64_t count = std::max<int64_t>(1, rounded_count(options.rate, n, rng.uniform()));
  for (const int64_t chosen : choose(n, count, rng)) {
    const int64_t position = candidates[static_cast<size_t>(chosen)];
    int32_t& id = result.ids[static_cast<size_t>(position)];
    result.positions.push_back(position);
    result.labels.push_back(id);
    const double u = rng.uniform();
    if (u < options.mask_share) id = roles.special.mask;
    else if (u < options.mask_share + options.random_share)
      id = roles.ordinary[rng.below(roles.ordinary.size())];
  }
  return result;
}

}  // namespace contrastive::data
