#include "core/adapt/text_rows.h"

#include "core/base/error.h"

namespace contrastive::adapt {

TextRows::TextRows(const data::Dataset& base, const std::vector<int64_t>& left_out) : base_(base) {
  size_t next = 0;
  for (int64_t row = 0; row < base.size(); ++row) {
    if (next < left_out.size() && left_out[next] == row) ++next;
    else rows_.push_back(row);
  }
  report_.lines = static_cast<int64_t>(rows_.size());
  check(next == left_out.size(), Status::kCorrupt, "rows are left out that the dataset of ",
        base.size(), " does not have");
}

int64_t TextRows::row(int64_t index) const {
  check(index >= 0 && index < size(), Status::kArgument, "example ", index, " of a dataset of ",
        size());
  return rows_[static_cast<size_t>(index)];
}

data::Example TextRows::get(int64_t index) const { return base_.get(row(index)); }
void TextRows::add(data::Example) {
  fail(Status::kState, "these are rows of another dataset: nothing can be added");
}
std::string TextRows::where(int64_t index) const { return base_.where(row(index)); }

std::string TextRows::fingerprint() const {
  std::string rows;
  for (const int64_t row : rows_) rows += cat(row, " ");
  return cat(base_.fingerprint(), " rows ", rows);
}

}  // namespace contrastive::adapt
