#include "core/data/joined_dataset.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace contrastive::data {
namespace {

class Joined : public Dataset {
 public:
  explicit Joined(std::vector<std::shared_ptr<const Dataset>> datasets)
      : datasets_(std::move(datasets)) {
    for (const auto& dataset : datasets_) {
      ends_.push_back(size() + dataset->size());
      const DatasetReport& part = dataset->report();
      report_.lines += part.lines;
      report_.empty += part.empty;
      report_.empty_kept += part.empty_kept;
      report_.malformed += part.malformed;
      report_.elsewhere += part.elsewhere;
      report_.filtered += part.filtered;
      report_.invalid_utf8 += part.invalid_utf8;
    }
  }

  int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Example get(int64_t index) const override {
    check(index >= 0 && index < size(), Status::kArgument, "example ", index, " of a dataset of ",
          size());
    const auto [dataset, own] = place_of(index);
    return dataset->get(own);
  }
  void add(Example) override {
    fail(Status::kState, "a dataset that was made of others takes no examples");
  }
  std::string fingerprint() const override {
    std::string all;
    for (const auto& dataset : datasets_)
      all += (all.empty() ? "" : " and ") + dataset->fingerprint();
    return all;
  }
  void check_unchanged() const override {
    for (const auto& dataset : datasets_) dataset->check_unchanged();
  }
  const DatasetReport& report() const override { return report_; }
  std::string where(int64_t index) const override {
    const auto [dataset, own] = place_of(index);
    return dataset->where(own);
  }
  std::vector<const Dataset*> parts() const override {
    std::vector<const Dataset*> parts;
    for (const auto& dataset : datasets_) parts.push_back(dataset.get());
    return parts;
  }

 private:
  std::pair<const Dataset*, int64_t> place_of(int64_t index) const {
    const auto part =
        static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
    return {datasets_.at(part).get(), index - (part == 0 ? 0 : ends_[part - 1])};
  }

  std::vector<std::shared_ptr<const Dataset>> datasets_;
  std::vector<int64_t> ends_;  // of each dataset, as an index in the joined one
  DatasetReport report_;
};

}  // namespace

std::shared_ptr<const Dataset> join_datasets(std::vector<std::shared_ptr<const Dataset>> datasets) {
  return std::make_shared<Joined>(std::move(datasets));
}

}  // namespace contrastive::data
