#include "core/torch/methods/method.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <algorithm>

namespace contrastive::methods {

const at::Tensor& Views::operator[](std::string_view name) const {
  const auto found = std::find_if(vectors.begin(), vectors.end(),
                                  [&](const NamedRows& entry) { return entry.name == name; });
  TORCH_CHECK(found != vectors.end(), "no vectors of name ", name);
  return found->rows;
}

bool Views::has(std::string_view name) const {
  return std::any_of(vectors.begin(), vectors.end(),
                     [&](const NamedRows& entry) { return entry.name == name; });
}

Views join(const std::vector<Views>& parts) {
  TORCH_CHECK(!parts.empty(), "nothing to join");
  if (parts.size() == 1) return parts.front();
  Views whole;
  for (size_t i = 0; i < parts.front().vectors.size(); ++i) {
    std::vector<at::Tensor> rows;
    for (const Views& part : parts) rows.push_back(part.vectors.at(i).rows);
    whole.vectors.push_back({parts.front().vectors[i].name, at::cat(rows)});
  }
  whole.means = parts.front().means;
  whole.tokens = parts.front().tokens;
  for (size_t p = 1; p < parts.size(); ++p) {
    for (size_t i = 0; i < whole.means.size(); ++i) {
      whole.means[i].sum = whole.means[i].sum + parts[p].means.at(i).sum;
      whole.means[i].count += parts[p].means[i].count;
    }
    whole.tokens += parts[p].tokens;
  }
  return whole;
}

std::shared_ptr<model::SentenceEncoder> EncoderMethod::deliver() const {
  std::shared_ptr<model::SentenceEncoder> encoder = model::sentence_encoder(result({}));
  TORCH_CHECK(encoder != nullptr, "the method trains no sentence encoder");
  return encoder;
}

EncoderMethod* encoder_method(Method& method) { return dynamic_cast<EncoderMethod*>(&method); }

RerankerMethod* reranker_method(Method& method) { return dynamic_cast<RerankerMethod*>(&method); }

std::unique_ptr<EncoderMethod> as_encoder_method(std::unique_ptr<Method> method) {
  EncoderMethod* const encoder = encoder_method(*method);
  TORCH_CHECK(encoder != nullptr, "the method trains no sentence encoder");
  method.release();  // NOLINT(bugprone-unused-return-value): `encoder` is the same object
  return std::unique_ptr<EncoderMethod>(encoder);
}

}  // namespace contrastive::methods
