// cs_tokenize: the token ids of a text.
#include <algorithm>

#include "capi/src/arrays.h"
#include "capi/src/guard.h"
#include "capi/src/model_objects.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

// Converts the C API's limit (0: the model's, -1: none) to the core's (0: none).
int64_t token_limit(const model::Model& model, int32_t max_length) {
  check(max_length >= -1, Status::kArgument, "max_length is ", max_length,
        ": a number of ids, 0 for the model's limit, or -1 for none");
  return max_length == 0 ? model.max_length() : std::max<int64_t>(max_length, 0);
}

// Sets `count` to the number of ids. Returns whether to copy them: false if the caller only counts,
// kBuffer if they do not fit.
bool has_room(const int32_t* ids, int64_t capacity, size_t found, int32_t* count) {
  *count = narrow<int32_t>(static_cast<int64_t>(found), "number of ids");
  if (ids == nullptr && capacity == 0) return false;
  need_buffer(ids, capacity, *count, "ids");
  return true;
}

template <class From>
void copy_ids(const std::vector<From>& from, int32_t* to) {
  if (to != nullptr)
    std::transform(from.begin(), from.end(), to,
                   [](From value) { return static_cast<int32_t>(value); });
}

}  // namespace

cs_status cs_tokenize(const cs_model* model, const char* text, int64_t length, int32_t max_length,
                      int32_t* ids, int32_t* begins, int32_t* ends, int64_t capacity,
                      int32_t* count, cs_error** error) {
  return guard(error, [&] {
    const ModelUse use(model);
    need_pointer(count, "count");
    const std::string_view view = text_argument(text, length, "text");
    const int64_t limit = token_limit(*use.object().model, max_length);
    if (begins == nullptr && ends == nullptr) {  // the tokenizer is faster without offsets
      text::TokenBatch batch;
      use.tokenizer().append(view, limit, batch);
      if (has_room(ids, capacity, batch.ids.size(), count)) copy_ids(batch.ids, ids);
      return;
    }
    const text::Encoding encoding = use.tokenizer().encode(view, limit);
    if (!has_room(ids, capacity, encoding.ids.size(), count)) return;
    copy_ids(encoding.ids, ids);
    copy_ids(encoding.begins, begins);
    copy_ids(encoding.ends, ends);
  });
}

cs_status cs_tokenize_pair(const cs_model* model, const char* text_a, int64_t length_a,
                           const char* text_b, int64_t length_b, int32_t max_length, int32_t* ids,
                           int32_t* type_ids, int64_t capacity, int32_t* count, cs_error** error) {
  return guard(error, [&] {
    const ModelUse use(model);
    need_pointer(count, "count");
    text::TokenBatch batch;
    use.tokenizer().append_pair(text_argument(text_a, length_a, "text_a"),
                                text_argument(text_b, length_b, "text_b"),
                                token_limit(*use.object().model, max_length), batch);
    if (!has_room(ids, capacity, batch.ids.size(), count)) return;
    copy_ids(batch.ids, ids);
    copy_ids(batch.type_ids, type_ids);
  });
}

char* cs_token(const cs_model* model, int32_t id, cs_error** error) {
  return construct(error, [&] { return copy_string(ModelUse(model).tokenizer().token(id)); });
}
