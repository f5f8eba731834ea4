// Mining of hard negatives.
#include <optional>

#include "capi/src/guard.h"
#include "capi/src/model_objects.h"
#include "core/mining/encoder_guide.h"
#include "core/mining/miner.h"
#include "core/mining/reranker_guide.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

// `guide(options, cancel)`: a std::unique_ptr<mining::Guide>, or null.
template <class MakeGuide>
std::string mine(const cs_model* model, const cs_dataset* pairs, const cs_dataset* corpus,
                 const char* output, const cs_config* config, const cs_cancel* cancel,
                 const MakeGuide& make_guide) {
  const ModelUse use(model);
  const auto pair_data = need(pairs, "pairs");
  const auto corpus_data = corpus == nullptr ? nullptr : need(corpus, "corpus");
  check(pair_data != corpus_data, Status::kArgument,
        "corpus is the dataset of the pairs: leave it out, and the positives are the corpus");
  need_pointer(output, "output");
  const mining::MiningOptions options = mining::read_mining_options(config_or_empty(config));
  const auto flag = cancel_or_none(cancel);
  const Exclusive reads_pairs(pair_data->busy, "dataset of the pairs");
  std::optional<Exclusive> reads_corpus;
  if (corpus_data != nullptr) reads_corpus.emplace(corpus_data->busy, "dataset of the corpus");
  const auto encoder =
      mining::make_mining_encoder(*use, use.fingerprint(), options.encode, options.query_prompt,
                                  options.document_prompt, flag.get());
  const std::unique_ptr<mining::Guide> guide = make_guide(options, flag.get());
  const mining::MiningInput input{*pair_data->data,
                                  corpus_data == nullptr ? nullptr : corpus_data->data.get()};
  return dump_ascii(mining::mine(encoder, guide.get(), input, output, options, flag.get()));
}

}  // namespace

char* cs_mine(const cs_model* model, const cs_model* guide, const cs_dataset* pairs,
              const cs_dataset* corpus, const char* output, const cs_config* config,
              const cs_cancel* cancel, cs_error** error) {
  return construct(error, [&] {
    std::optional<ModelUse> second;
    if (guide != nullptr) second.emplace(guide);
    const auto make = [&](const mining::MiningOptions& options,
                          const Cancel* flag) -> std::unique_ptr<mining::Guide> {
      if (!second) return nullptr;
      return std::make_unique<mining::EncoderGuide>(
          mining::make_mining_encoder(**second, second->fingerprint(), options.encode,
                                      options.guide_query_prompt, options.guide_document_prompt,
                                      flag),
          options.similarity, mining::vector_folder(output, options));
    };
    return copy_string(mine(model, pairs, corpus, output, config, cancel, make));
  });
}

char* cs_mine_reranked(const cs_model* model, const cs_reranker* guide, const cs_dataset* pairs,
                       const cs_dataset* corpus, const char* output, const cs_config* config,
                       const cs_cancel* cancel, cs_error** error) {
  return construct(error, [&] {
    const auto reranker = need(guide, "guide");
    const auto make = [&](const mining::MiningOptions& options, const Cancel*) {
      return std::make_unique<mining::RerankerGuide>(reranker->encoder, options);
    };
    return copy_string(mine(model, pairs, corpus, output, config, cancel, make));
  });
}
