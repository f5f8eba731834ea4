#include "core/data/derived_dataset.h"

#include <numeric>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/rng.h"

namespace contrastive::data {
namespace {

class Derived : public Dataset {
 public:
  explicit Derived(std::shared_ptr<const Dataset> base) : base_(std::move(base)) {}
  void add(Example) override {
    fail(Status::kState, "a dataset that was made of another one takes no examples");
  }
  void check_unchanged() const override { base_->check_unchanged(); }
  const DatasetReport& report() const override { return base_->report(); }
  std::string path() const override { return base_->path(); }

 protected:
  void check_index(int64_t index) const {
    check(index >= 0 && index < size(), Status::kArgument, "example ", index, " of a dataset of ",
          size());
  }
  std::shared_ptr<const Dataset> base_;
};

class SeparateTexts : public Derived {
 public:
  using Derived::Derived;
  int64_t size() const override { return 2 * base_->size(); }
  std::string fingerprint() const override { return base_->fingerprint() + " as single texts"; }

  Example get(int64_t index) const override {
    check_index(index);
    Example pair = base_->get(index / 2);
    Example single;
    single.a = std::move(index % 2 == 0 ? pair.a : pair.b);
    return single;
  }
  std::string where(int64_t index) const override { return base_->where(index / 2); }
};

class Subset : public Derived {
 public:
  Subset(std::shared_ptr<const Dataset> base, int64_t examples, uint64_t seed, bool upsample)
      : Derived(std::move(base)), chosen_(static_cast<size_t>(base_->size())), seed_(seed),
        repeats_(upsample ? base_->size() / examples : 1) {
    std::iota(chosen_.begin(), chosen_.end(), int64_t{0});
    Rng(seed, Purpose::kSubset).shuffle(chosen_);
    chosen_.resize(static_cast<size_t>(examples));
    chosen_.shrink_to_fit();
  }
  int64_t size() const override { return static_cast<int64_t>(chosen_.size()) * repeats_; }
  std::string fingerprint() const override {
    return cat(base_->fingerprint(), ", ", chosen_.size(), " of it by seed ", seed_, ", ", repeats_,
               " times");
  }

  Example get(int64_t index) const override {
    check_index(index);
    return base_->get(chosen_[static_cast<size_t>(index) % chosen_.size()]);
  }
  std::string where(int64_t index) const override {
    return base_->where(chosen_[static_cast<size_t>(index) % chosen_.size()]);
  }

 private:
  std::vector<int64_t> chosen_;  // indices in the base
  uint64_t seed_;
  int64_t repeats_;
};

}  // namespace

std::shared_ptr<const Dataset> separate_texts(std::shared_ptr<const Dataset> base) {
  if (base->size() == 0 || !base->get(0).has_b) return base;
  return std::make_shared<SeparateTexts>(std::move(base));
}

std::shared_ptr<const Dataset> seeded_subset(std::shared_ptr<const Dataset> base, int64_t examples,
                                             uint64_t seed, bool upsample) {
  check(examples > 0, Status::kArgument, "a subset of ", examples,
        " examples: at least 1 is needed");
  if (examples >= base->size()) return base;
  return std::make_shared<Subset>(std::move(base), examples, seed, upsample);
}

}  // namespace contrastive::data
