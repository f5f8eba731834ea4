// Normalisers of the two ends of a text: strip white space, or prepend a string.
#pragma once

#include <string>

#include "core/text/normalizer_stage.h"

namespace contrastive::text {

class Strip : public NormalizerStage {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}

  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;

 private:
  bool left_, right_;
};

// Does not change an empty text.
class Prepend : public NormalizerStage {
 public:
  explicit Prepend(std::string content) : content_(std::move(content)) {}

  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;

 private:
  std::string content_;
};

class Append : public NormalizerStage {
 public:
  explicit Append(std::string content) : content_(std::move(content)) {}

  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;

 private:
  std::string content_;
};

}  // namespace contrastive::text
