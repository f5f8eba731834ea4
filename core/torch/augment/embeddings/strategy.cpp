#include "core/torch/augment/embeddings/strategy.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::augment {
namespace {

struct NamedCutoff {
  const char* name;
  Cutoff kind;
  double rate;
};
constexpr NamedCutoff kCutoffs[] = {{"token-cutoff", Cutoff::kTokens, 0.15},
                                    {"feature-cutoff", Cutoff::kFeatures, 0.2},
                                    {"span-cutoff", Cutoff::kSpan, 0.15},
                                    {"dropout", Cutoff::kElements, 0.2}};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '+') {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

void add_part(Strategy& strategy, const std::string& name, double rate, const std::string& key) {
  if (name == "shuffle") {
    strategy.shuffle = true;
    return;
  }
  if (name == "adversarial") {
    strategy.adversarial = true;
    return;
  }
  if (name == "none") return;
  std::vector<std::string> names = {"none", "shuffle", "adversarial"};
  for (const NamedCutoff& cutoff : kCutoffs) {
    if (name == cutoff.name) {
      strategy.cutoffs.push_back({cutoff.kind, rate > 0 ? rate : cutoff.rate});
      return;
    }
    names.emplace_back(cutoff.name);
  }
  fail(Status::kArgument, "config key '", key, "': ", unknown_name("strategy", name, names));
}

}  // namespace

Strategy parse_strategy(const std::string& text, double rate, const std::string& key) {
  Strategy strategy;
  const std::vector<std::string> parts = split(text);
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool alone = parts[i] != "none" && parts[i] != "adversarial";
    check(parts.size() == 1 || alone, Status::kArgument, "config key '", key, "': ", parts[i],
          " is a complete view, not a part of '", text, "'");
    check(std::find(parts.begin(), parts.begin() + static_cast<int64_t>(i), parts[i]) ==
              parts.begin() + static_cast<int64_t>(i),
          Status::kArgument, "config key '", key, "' is '", text, "': ", parts[i], " occurs twice");
    add_part(strategy, parts[i], rate, key);
  }
  return strategy;
}

std::vector<int32_t> shuffled_places(int64_t length, Rng& rng) {
  std::vector<int32_t> places(static_cast<size_t>(length));
  std::iota(places.begin(), places.end(), 0);
  rng.shuffle(places);
  return places;
}

}  // namespace contrastive::augment
