// A dataset of some rows of another dataset of texts: the part of a corpus that is searched.
#pragma once

#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace contrastive::adapt {

class TextRows : public data::Dataset {
 public:
  // All rows but `left_out`, which must be ascending. `base` must outlive this.
  TextRows(const data::Dataset& base, const std::vector<int64_t>& left_out);

  int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  data::Example get(int64_t index) const override;
  void add(data::Example example) override;
  std::string fingerprint() const override;
  void check_unchanged() const override { base_.check_unchanged(); }
  const data::DatasetReport& report() const override {
    return report_;
  }  // the creator of these rows has counted what the base left out
  std::string where(int64_t index) const override;

 private:
  int64_t row(int64_t index) const;

  const data::Dataset& base_;
  std::vector<int64_t> rows_;
  data::DatasetReport report_;
};

}  // namespace contrastive::adapt
