// Texts to embeddings: the hot path, and the one sized struct.
#include <cstring>
#include <utility>

#include "capi/src/arrays.h"
#include "capi/src/guard.h"
#include "capi/src/model_objects.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

constexpr uint32_t kFirstSize = 64;   // sizeof(cs_encode_options) of version 0.1, the least that a caller can have
constexpr uint32_t kMaxSize = 65536;  // no version will be that large: a caller that says so has not initialised the struct
static_assert(sizeof(cs_encode_options) >= kFirstSize, "fields are only ever appended");

// The caller's options as this library knows them: what a caller of an older version does not have is taken from the defaults; what one of a
// newer version has beyond them must be zero, or the caller relies on something that this library cannot do.
cs_encode_options known_options(const cs_encode_options* given) {
  cs_encode_options known = CS_ENCODE_OPTIONS_INIT;
  if (given == nullptr) return known;
  const uint32_t size = given->struct_size;
  check(size >= kFirstSize && size <= kMaxSize, Status::kArgument, "options.struct_size is ", size, ", this library's is ", sizeof(known),
        ": initialise the struct with CS_ENCODE_OPTIONS_INIT");
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(given);
  for (uint32_t i = sizeof(known); i < size; ++i) {
    check(bytes[i] == 0, Status::kArgument, "options.struct_size is ", size, ", this library's is ", sizeof(known),
          ": an option is set that only a newer library knows");
  }
  std::memcpy(&known, given, size < sizeof(known) ? size : sizeof(known));
  return known;
}

std::string text_or_empty(const char* text) { return text == nullptr ? std::string() : std::string(text); }

model::EncodeOptions core_options(const cs_encode_options& from) {
  check(from.reserved == 0, Status::kArgument, "options.reserved is ", from.reserved, ": it must be 0 (struct_size ", from.struct_size, " of ",
        sizeof(from), ")");
  check(from.normalize >= -1 && from.normalize <= 1, Status::kArgument, "options.normalize is ", from.normalize, ": -1, 0 or 1 is needed");
  check(from.truncate_dim >= 0, Status::kArgument, "options.truncate_dim is negative: ", from.truncate_dim);
  check(from.max_length >= 0, Status::kArgument, "options.max_length is negative: ", from.max_length);
  check(from.batch_tokens >= 0, Status::kArgument, "options.batch_tokens is negative: ", from.batch_tokens);
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

// `texts` returns the views; it runs after the handle and the options were checked.
template <class Texts>
cs_status encode(const cs_model* model, const cs_encode_options* given, Texts&& texts, float* embeddings, int64_t n_floats, cs_error** error) {
  return guard(error, [&] {
    const ModelUse use(model);
    const cs_encode_options known = known_options(given);
    model::EncodeOptions options = core_options(known);
    const auto cancel = cancel_or_none(known.cancel);
    options.cancel = cancel.get();
    const std::vector<std::string_view> views = texts();
    model::EncodePlan plan = use->plan(options);
    const int64_t needed = count_elements(static_cast<int64_t>(views.size()), plan.dimension, "embeddings");
    need_buffer(embeddings, n_floats, needed, "embeddings");
    throw_if_cancelled(options.cancel);
    if (!views.empty()) use->encode(views, std::move(plan), options.cancel, embeddings, known.token_counts);
  });
}

}  // namespace

cs_status cs_encode(const cs_model* model, const char* const* texts, const int64_t* lengths, int64_t n_texts, const cs_encode_options* options,
                    float* embeddings, int64_t n_floats, cs_error** error) {
  return encode(model, options, [&] { return text_arguments(texts, lengths, n_texts); }, embeddings, n_floats, error);
}

cs_status cs_encode_packed(const cs_model* model, const char* data, const int32_t* offsets, int64_t n_texts, const cs_encode_options* options,
                           float* embeddings, int64_t n_floats, cs_error** error) {
  return encode(model, options, [&] { return packed_arguments(data, offsets, n_texts); }, embeddings, n_floats, error);
}

int32_t cs_encode_dimension(const cs_model* model, const cs_encode_options* options, cs_error** error) {
  int32_t dimension = 0;
  const cs_status status = guard(error, [&] {
    const ModelUse use(model);
    dimension = narrow<int32_t>(use->dimension(core_options(known_options(options))), "dimension");
  });
  return status < 0 ? status : dimension;
}
