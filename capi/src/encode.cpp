// cs_encode: embeds texts.
#include <utility>

#include "capi/src/arrays.h"
#include "capi/src/guard.h"
#include "capi/src/model_objects.h"
#include "capi/src/sized_struct.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

constexpr const char* kInstead =
    "Score pairs with cs_rerank; to embed with the reranker's encoder, load the folder with "
    "\"kind\" = \"encoder\" and a \"pooling\"";

// sizeof(cs_encode_options) in version 0.1, the smallest that a caller can have.
constexpr uint32_t kFirstSize = 64;
static_assert(sizeof(cs_encode_options) >= kFirstSize, "fields are only ever appended");

cs_encode_options known_options(const cs_encode_options* given) {
  return known_struct(given, cs_encode_options CS_ENCODE_OPTIONS_INIT, kFirstSize,
                      "CS_ENCODE_OPTIONS_INIT");
}

model::EncodeOptions core_options(const cs_encode_options& from) {
  check(from.reserved == 0, Status::kArgument, "options.reserved is ", from.reserved,
        ": it must be 0 (struct_size ", from.struct_size, " of ", sizeof(from), ")");
  check(from.normalize >= -1 && from.normalize <= 1, Status::kArgument, "options.normalize is ",
        from.normalize, ": -1, 0 or 1 is needed");
  check(from.truncate_dim >= 0, Status::kArgument,
        "options.truncate_dim is negative: ", from.truncate_dim);
  check(from.max_length >= 0, Status::kArgument,
        "options.max_length is negative: ", from.max_length);
  check(from.batch_tokens >= 0, Status::kArgument,
        "options.batch_tokens is negative: ", from.batch_tokens);
  model::EncodeOptions to;
  to.pooling = text_or_empty(from.pooling);
  to.normalize = from.normalize;
  to.truncate_dim = from.truncate_dim;
  if (from.prompt != nullptr) to.prompt = from.prompt;
  to.prompt_name = text_or_empty(from.prompt_name);
  to.max_length = from.max_length;
  to.batch_tokens = from.batch_tokens;
  return to;
}

// `texts` returns views of the texts. It is called after the handle and the options were checked.
template <class Texts>
cs_status encode(const cs_model* model, const cs_encode_options* given, Texts&& texts,
                 float* embeddings, int64_t n_floats, cs_error** error) {
  return guard(error, [&] {
    const EncoderUse use(model, "model", kInstead);
    const cs_encode_options known = known_options(given);
    model::EncodeOptions options = core_options(known);
    const auto cancel = cancel_or_none(known.cancel);
    options.cancel = cancel.get();
    const std::vector<std::string_view> views = texts();
    model::EncodePlan plan = use->plan(options);
    const int64_t needed =
        count_elements(static_cast<int64_t>(views.size()), plan.dimension, "embeddings");
    need_buffer(embeddings, n_floats, needed, "embeddings");
    throw_if_cancelled(options.cancel);
    if (!views.empty())
      use->encode(views, std::move(plan), options.cancel, embeddings, known.token_counts);
  });
}

}  // namespace

cs_status cs_encode(const cs_model* model, const char* const* texts, const int64_t* lengths,
                    int64_t n_texts, const cs_encode_options* options, float* embeddings,
                    int64_t n_floats, cs_error** error) {
  return encode(
      model, options, [&] { return text_arguments(texts, lengths, n_texts); }, embeddings, n_floats,
      error);
}

cs_status cs_encode_packed(const cs_model* model, const char* data, const int32_t* offsets,
                           int64_t n_texts, const cs_encode_options* options, float* embeddings,
                           int64_t n_floats, cs_error** error) {
  return encode(
      model, options, [&] { return packed_arguments(data, offsets, n_texts); }, embeddings,
      n_floats, error);
}

int32_t cs_encode_dimension(const cs_model* model, const cs_encode_options* options,
                            cs_error** error) {
  int32_t dimension = 0;
  const cs_status status = guard(error, [&] {
    const EncoderUse use(model, "model", kInstead);
    dimension = narrow<int32_t>(use->dimension(core_options(known_options(options))), "dimension");
  });
  return status < 0 ? status : dimension;
}
