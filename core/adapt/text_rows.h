// Some rows of a dataset of texts, as a dataset of their own: what is left of a corpus.
#pragma once

#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace contrastive::adapt {

class TextRows : public data::Dataset {
 public:
  // All rows but `left_out`, which are in rising order. `base` must outlive this.
  TextRows(const data::Dataset& base, const std::vector<int64_t>& left_out);

  int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  data::Example get(int64_t index) const override;
  void add(data::Example example) override;
  std::string fingerprint() const override;
  void check_unchanged() const override { base_.check_unchanged(); }
  const data::DatasetReport& report() const override {
    return report_;
  }  // what the base left out, whoever made these rows has counted
  std::string where(int64_t index) const override;

 private:
  int64_t row(int64_t index) const;

  const data::Dataset& base_;
  std::vector<int64_t> rows_;
  data::DatasetReport report_;
};

}  // namespace contrastive::adapt
