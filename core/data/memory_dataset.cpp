// A dataset that the caller fills example by example.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/data/content_hash.h"
#include "core/data/dataset.h"

namespace contrastive::data {
namespace {

class MemoryDataset : public Dataset {
 public:
  int64_t size() const override { return static_cast<int64_t>(examples_.size()); }

  Example get(int64_t index) const override {
    check(index >= 0 && index < size(), Status::kArgument, "example ", index, " of a dataset of ", size());
    return examples_[static_cast<size_t>(index)];
  }

  void add(Example example) override {
    check(std::isfinite(example.label) || std::isnan(example.label), Status::kArgument, "an example's label must be a finite number, or NaN for none");
    check(example.has_b || example.negatives.empty(), Status::kArgument, "an example with negatives needs a text b, the positive");
    check(examples_.empty() || examples_.front().has_b == example.has_b, Status::kArgument, "the example is ",
          example.has_b ? "a pair" : "a single text", ", but those before it are ", example.has_b ? "single texts" : "pairs",
          ": a dataset holds one kind");
    // Lengths are hashed too, so that moving a letter from one text to the other shows.
    const uint64_t lengths[2] = {example.a.size(), example.has_b ? example.b.size() + 1 : 0};
    char numbers[sizeof lengths + sizeof example.label];
    std::memcpy(numbers, lengths, sizeof lengths);
    std::memcpy(numbers + sizeof lengths, &example.label, sizeof example.label);
    hash_.update({numbers, sizeof numbers});
    hash_.update(example.a);
    hash_.update(example.b);
    for (const std::string& negative : example.negatives) {
      const uint64_t length = negative.size() + 1;
      std::memcpy(numbers, &length, sizeof length);
      hash_.update({numbers, sizeof length});
      hash_.update(negative);
    }
    if (!example.scores.empty()) {
      const uint64_t count = example.scores.size();
      std::memcpy(numbers, &count, sizeof count);
      hash_.update({numbers, sizeof count});
    }
    for (const double score : example.scores) {
      std::memcpy(numbers, &score, sizeof score);
      hash_.update({numbers, sizeof score});
    }
    examples_.push_back(std::move(example));
    ++report_.lines;
  }

  std::string fingerprint() const override { return cat(examples_.size(), "-", hash_text(hash_.value())); }
  const DatasetReport& report() const override { return report_; }

 private:
  std::vector<Example> examples_;
  ContentHash hash_;
  DatasetReport report_;
};

}  // namespace

std::shared_ptr<Dataset> make_dataset() { return std::make_shared<MemoryDataset>(); }

}  // namespace contrastive::data
