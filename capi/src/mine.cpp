// cs_mine: mines hard negatives.
#include <memory>
#include <optional>
#include <string>

#include "capi/src/guard.h"
#include "capi/src/model_objects.h"
#include "core/mining/encoder_guide.h"
#include "core/mining/miner.h"
#include "core/mining/reranker_guide.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

// The guide: a second model that scores the candidates which the first model found. Null if
// there is no `guide`.
std::unique_ptr<mining::Guide> make_guide(const std::optional<ModelUse>& guide,
                                          const std::string& output,
                                          const mining::MiningOptions& options,
                                          const Cancel* cancel) {
  if (!guide) return nullptr;
  const ModelObject& object = guide->object();
  if (object.reranker != nullptr)
    return std::make_unique<mining::RerankerGuide>(object.reranker, options);
  return std::make_unique<mining::EncoderGuide>(
      mining::make_mining_encoder(*object.encoder, guide->fingerprint(), options.encode,
                                  options.guide_query_prompt, options.guide_document_prompt,
                                  cancel),
      options.similarity, mining::vector_folder(output, options));
}

}  // namespace

char* cs_mine(const cs_model* model, const cs_model* guide, const cs_dataset* pairs,
              const cs_dataset* corpus, const char* output, const cs_config* config,
              const cs_cancel* cancel, cs_error** error) {
  return construct(error, [&] {
    const EncoderUse use(model, "model",
                         "Pass a sentence encoder as model, and the reranker as guide");
    std::optional<ModelUse> second;
    if (guide != nullptr) second.emplace(guide, "guide");
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
    const std::unique_ptr<mining::Guide> scores = make_guide(second, output, options, flag.get());
    const mining::MiningInput input{*pair_data->data,
                                    corpus_data == nullptr ? nullptr : corpus_data->data.get()};
    return copy_string(
        dump_ascii(mining::mine(encoder, scores.get(), input, output, options, flag.get())));
  });
}
