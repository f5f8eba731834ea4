// cs_rerank: scores pairs of texts.
#include <utility>

#include "capi/src/arrays.h"
#include "capi/src/guard.h"
#include "capi/src/model_objects.h"
#include "capi/src/sized_struct.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

constexpr uint32_t kFirstRerankSize = 56;  // sizeof(cs_rerank_options) in version 0.1
static_assert(sizeof(cs_rerank_options) >= kFirstRerankSize, "fields are only ever appended");

model::ScoreOptions score_options(const cs_rerank_options& from) {
  check(from.reserved == 0, Status::kArgument, "options.reserved is ", from.reserved,
        ": it must be 0 (struct_size ", from.struct_size, " of ", sizeof(from), ")");
  check(from.max_length >= 0, Status::kArgument,
        "options.max_length is negative: ", from.max_length);
  check(from.batch_tokens >= 0, Status::kArgument,
        "options.batch_tokens is negative: ", from.batch_tokens);
  model::ScoreOptions to;
  to.activation = text_or_empty(from.activation);
  if (from.prompt != nullptr) to.prompt = from.prompt;
  to.prompt_name = text_or_empty(from.prompt_name);
  to.max_length = from.max_length;
  to.batch_tokens = from.batch_tokens;
  return to;
}

// `pairs` returns the texts. It is called after the handle and the options were checked.
template <class Pairs>
cs_status rerank(const cs_model* model, const cs_rerank_options* given, Pairs&& pairs,
                 float* scores, int64_t n_scores, cs_error** error) {
  return guard(error, [&] {
    const RerankerUse use(model, "model");
    const cs_rerank_options known = known_struct(given, cs_rerank_options CS_RERANK_OPTIONS_INIT,
                                                 kFirstRerankSize, "CS_RERANK_OPTIONS_INIT");
    model::ScoreOptions options = score_options(known);
    const auto cancel = cancel_or_none(known.cancel);
    options.cancel = cancel.get();
    const std::vector<model::TextPair> views = pairs();
    use->check_options(options);
    need_buffer(scores, n_scores,
                count_elements(static_cast<int64_t>(views.size()), use->label_count(), "scores"),
                "scores");
    throw_if_cancelled(options.cancel);
    if (!views.empty()) use->score(views, options, scores, known.token_counts);
  });
}

}  // namespace

cs_status cs_rerank(const cs_model* model, const char* query, int64_t query_length,
                    const char* const* documents, const int64_t* lengths, int64_t n_documents,
                    const cs_rerank_options* options, float* scores, int64_t n_scores,
                    cs_error** error) {
  const auto pairs = [&] {
    const std::string_view first = text_argument(query, query_length, "query");
    std::vector<model::TextPair> views;
    for (const std::string_view document :
         text_arguments(documents, lengths, n_documents, "documents"))
      views.push_back({first, document});
    return views;
  };
  return rerank(model, options, pairs, scores, n_scores, error);
}

cs_status cs_rerank_packed(const cs_model* model, const char* data, const int32_t* offsets,
                           int64_t n_pairs, const cs_rerank_options* options, float* scores,
                           int64_t n_scores, cs_error** error) {
  const auto pairs = [&] {
    check(n_pairs >= 0, Status::kArgument, "the number of pairs is negative: ", n_pairs);
    check(n_pairs <= (int64_t{1} << 30), Status::kLimit, "the number of pairs is ", n_pairs,
          ", above the limit of 2^30");
    const std::vector<std::string_view> texts = packed_arguments(data, offsets, 2 * n_pairs);
    std::vector<model::TextPair> views;
    views.reserve(static_cast<size_t>(n_pairs));
    for (size_t i = 0; i < texts.size(); i += 2) views.push_back({texts[i], texts[i + 1]});
    return views;
  };
  return rerank(model, options, pairs, scores, n_scores, error);
}
