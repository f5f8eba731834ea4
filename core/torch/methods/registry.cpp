#include "core/torch/methods/registry.h"

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/torch/methods/matryoshka.h"

// One line for each method: core/torch/methods/<noun>/<noun>.cpp defines its <noun>_method().
#define CONTRASTIVE_METHODS(METHOD) \
  METHOD(clsr)                      \
  METHOD(consert)                   \
  METHOD(multiple_negatives)        \
  METHOD(sg_opt)                    \
  METHOD(simcse)                    \
  METHOD(clear)                     \
  METHOD(scored)                    \
  METHOD(triplet)                   \
  METHOD(distill)                   \
  METHOD(tsdae)                     \
  METHOD(reranker)

namespace contrastive::methods {

#define DECLARE(noun) MethodEntry noun##_method();
#define ENTRY(noun) noun##_method(),

CONTRASTIVE_METHODS(DECLARE)

const std::vector<MethodEntry>& all_methods() {
  static const std::vector<MethodEntry> kMethods = {CONTRASTIVE_METHODS(ENTRY)};
  return kMethods;
}

#undef DECLARE
#undef ENTRY
#undef CONTRASTIVE_METHODS

const MethodEntry& find_method(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : all_methods()) {
    if (name == entry.name) return entry;
    names.push_back(entry.name);
  }
  fail(Status::kArgument, "config key 'method': ", unknown_name("method", name, names));
}

Json describe_wrappers() { return describe_options<MatryoshkaOptions>(MatryoshkaOptions::kPrefix); }

void check_wrappers(const MethodEntry& entry, const MethodTraits& traits, const Config& config) {
  read_options<MatryoshkaOptions>(config, MatryoshkaOptions::kPrefix)
      .validate(config, entry.name, traits);
}

std::unique_ptr<Method> make_method(const MethodEntry& entry, const MethodContext& context) {
  std::unique_ptr<Method> method = entry.make(context);
  const auto cuts = read_options<MatryoshkaOptions>(context.config, MatryoshkaOptions::kPrefix);
  if (!cuts.on()) return method;
  return cut_vectors(as_encoder_method(std::move(method)), cuts, entry.describe(context.config),
                     context.seed);
}

std::vector<int64_t> trained_dimensions(const Config& config) {
  return read_options<MatryoshkaOptions>(config, MatryoshkaOptions::kPrefix).dims;
}

const Paper& cut_vectors_paper() {
  static const Paper kPaper = {"Matryoshka representation learning", "loss:MatryoshkaLoss",
                               R"(@inproceedings{kusupati2022matryoshka,
  title = {Matryoshka Representation Learning},
  author = {Kusupati, Aditya and Bhatt, Gantavya and Rege, Aniket and Wallingford, Matthew and Sinha, Aditya and Ramanujan, Vivek and Howard-Snyder, William and Chen, Kaifeng and Kakade, Sham and Jain, Prateek and Farhadi, Ali},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2022},
}
)"};
  return kPaper;
}

}  // namespace contrastive::methods
