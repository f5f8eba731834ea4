// A dataset that the caller fills example by example.
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/data/example_hash.h"

namespace contrastive::data {
namespace {

class MemoryDataset : public Dataset {
 public:
  int64_t size() const override { return static_cast<int64_t>(examples_.size()); }

  Example get(int64_t index) const override {
    check(index >= 0 && index < size(), Status::kArgument, "example ", index, " of a dataset of ",
          size());
    return examples_[static_cast<size_t>(index)];
  }

  void add(Example example) override {
    check(std::isfinite(example.label) || std::isnan(example.label), Status::kArgument,
          "an example's label must be a finite number, or NaN for none");
    check(example.has_b || example.negatives.empty(), Status::kArgument,
          "an example with negatives needs a text b, the positive");
    check(examples_.empty() || examples_.front().has_b == example.has_b, Status::kArgument,
          "the example is ", example.has_b ? "a pair" : "a single text",
          ", but those before it are ", example.has_b ? "single texts" : "pairs",
          ": a dataset holds one kind");
    add_example(hash_, example);
    examples_.push_back(std::move(example));
    ++report_.lines;
  }

  std::string fingerprint() const override {
    return cat(examples_.size(), "-", hash_text(hash_.value()));
  }
  const DatasetReport& report() const override { return report_; }

 private:
  std::vector<Example> examples_;
  ContentHash hash_;
  DatasetReport report_;
};

}  // namespace

std::shared_ptr<Dataset> make_dataset() { return std::make_shared<MemoryDataset>(); }

}  // namespace contrastive::data
