#include "core/encoder/pooling.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::encoder {

namespace {

struct Entry {
  const char* name;
  Reduce reduce;
  int64_t other_layer;  // in addition to the last: kNone, kBeforeLast, or a layer's number
};
constexpr int64_t kNone = -1, kBeforeLast = -2;
constexpr Entry kEntries[] = {
    {"cls", Reduce::kCls, kNone},
    {"cls-pooler", Reduce::kClsPooler, kNone},
    {"mean", Reduce::kMean, kNone},
    {"max", Reduce::kMax, kNone},
    {"mean-sqrt", Reduce::kMeanSqrt, kNone},
    {"weightedmean", Reduce::kWeightedMean, kNone},
    {"lasttoken", Reduce::kLastToken, kNone},
    {"last2", Reduce::kMean, kBeforeLast},
    {"first-last", Reduce::kMean, 1},
    {"embed-last", Reduce::kMean, 0},
};

Pooling parse_layer_pooling(const std::string& name, int64_t num_layers) {
  const size_t colon = name.find(':', 6);
  const std::string number = colon == std::string::npos ? "" : name.substr(6, colon - 6);
  const std::string kind = colon == std::string::npos ? "" : name.substr(colon + 1);
  const bool digits = !number.empty() && number.size() <= 6 &&
                      number.find_first_not_of("0123456789") == std::string::npos;
  const int64_t layer = digits ? std::stoll(number) : -1;
  const bool known = kind == "cls" || kind == "mean" || kind == "max";
  check(known && layer >= 0 && layer <= num_layers, Status::kArgument, "pooling '", name,
        "': the form is layer:k:cls, layer:k:mean or layer:k:max with k from 0 (embeddings) to ",
        num_layers);
  return {name,
          kind == "cls"    ? Reduce::kCls
          : kind == "mean" ? Reduce::kMean
                           : Reduce::kMax,
          {layer}};
}

// The weight of a token before the sum is scaled.
double token_weight(Reduce reduce, int64_t place) {
  switch (reduce) {
    case Reduce::kWeightedMean: return static_cast<double>(place + 1);
    case Reduce::kMean:
    case Reduce::kMeanSqrt:
    case Reduce::kLastToken:
    case Reduce::kCls: return 1;
    case Reduce::kClsPooler:
    case Reduce::kMax: break;
  }
  fail(Status::kInternal, "no sum of tokens: reduction ", static_cast<int>(reduce));
}

void max_of_tokens(const float* states, int64_t hidden, int64_t begin, int64_t end,
                   const uint8_t* keep, float* out) {
  bool any = false;
  for (int64_t t = begin; t < end; ++t) {
    if (keep != nullptr && keep[t] == 0) continue;
    const float* row = states + t * hidden;
    for (int64_t h = 0; h < hidden; ++h)
      out[h] = !any || row[h] > out[h] || row[h] != row[h] ? row[h] : out[h];  // NaN stays
    any = true;
  }
}

}  // namespace

std::vector<std::string> pooling_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  names.emplace_back("layer:k:cls|mean|max");
  return names;
}

Pooling parse_pooling(const std::string& name, int64_t num_layers) {
  check(num_layers > 0 || name == "mean", Status::kArgument, "pooling '", name,
        "': the model is a table of token vectors without layers, and a text is their mean: use "
        "mean");
  if (name.compare(0, 6, "layer:") == 0) return parse_layer_pooling(name, num_layers);
  for (const Entry& entry : kEntries) {
    if (name != entry.name) continue;
    Pooling pooling{name, entry.reduce, {num_layers}};
    const int64_t other = entry.other_layer == kBeforeLast ? num_layers - 1 : entry.other_layer;
    if (entry.other_layer != kNone) pooling.layers = {other, num_layers};
    return pooling;
  }
  fail(Status::kArgument, unknown_name("pooling", name, pooling_names()));
}

// The weight of each token in the text's sum, for the reductions that are sums: [tokens] floats.
std::vector<float> token_weights(Reduce reduce, const int64_t* offsets, int64_t texts,
                                 const uint8_t* keep) {
  std::vector<float> weights(static_cast<size_t>(texts == 0 ? 0 : offsets[texts]), 0.0f);
  for (int64_t text = 0; text < texts; ++text) {
    double total = 0;
    int64_t first = -1, last = -1;
    for (int64_t t = offsets[text]; t < offsets[text + 1]; ++t) {
      if (keep != nullptr && keep[t] == 0) continue;
      total += token_weight(reduce, t - offsets[text]);
      if (first < 0) first = t;
      last = t;
    }
    if (reduce == Reduce::kCls) {
      if (offsets[text] < offsets[text + 1])
        weights[static_cast<size_t>(first < 0 ? offsets[text] : first)] = 1.0f;
      continue;
    }
    const double scale = reduce == Reduce::kMeanSqrt ? 1.0 / std::sqrt(std::max(total, 1e-9))
                                                     : 1.0 / std::max(total, 1e-9);
    for (int64_t t = offsets[text]; t < offsets[text + 1]; ++t) {
      if (keep != nullptr && keep[t] == 0) continue;
      float& w = weights[static_cast<size_t>(t)];
      if (reduce == Reduce::kLastToken) w = t == last ? 1.0f : 0.0f;
      else w = static_cast<float>(scale * token_weight(reduce, t - offsets[text]));
    }
  }
  return weights;
}

void reduce_tokens(Reduce reduce, const float* states, int64_t hidden, const int64_t* offsets,
                   int64_t texts, const uint8_t* keep, float* out) {
  check(reduce != Reduce::kClsPooler, Status::kInternal,
        "the pooler's dense layer is applied by the caller");
  std::fill(out, out + texts * hidden, 0.0f);
  if (reduce == Reduce::kMax) {
    for (int64_t text = 0; text < texts; ++text)
      max_of_tokens(states, hidden, offsets[text], offsets[text + 1], keep, out + text * hidden);
    return;
  }
  const std::vector<float> weights = token_weights(reduce, offsets, texts, keep);
  for (int64_t text = 0; text < texts; ++text) {
    float* sum = out + text * hidden;
    for (int64_t t = offsets[text]; t < offsets[text + 1]; ++t) {
      const float w = weights[static_cast<size_t>(t)];
      if (w == 0.0f) continue;
      const float* row = states + t * hidden;
      for (int64_t h = 0; h < hidden; ++h) sum[h] += w * row[h];
    }
  }
}

}  // namespace contrastive::encoder
