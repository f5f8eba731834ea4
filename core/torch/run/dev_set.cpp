#include "core/torch/run/dev_set.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/dataset.h"
#include "core/data/line_reader.h"
#include "core/eval/sts/sts.h"
#include "core/torch/tensors/products.h"
#include "core/torch/objectives/nt_xent.h"
#include "core/torch/run/pair_dev_set.h"

namespace contrastive::run {
namespace {

class StsDev : public DevSet {
 public:
  explicit StsDev(const std::string& path)
      : subsets_(eval::read_sts(path, eval::StsSplit::kPreferDev)) {
    std::vector<double> gold;
    for (const eval::StsSubset& subset : subsets_)
      gold.insert(gold.end(), subset.gold.begin(), subset.gold.end());
    check(gold.size() >= 2, Status::kFormat, path, ": ", gold.size(),
          " scored pairs; a correlation, which chooses the best weights, needs two");
    const auto [low, high] = std::minmax_element(gold.begin(), gold.end());
    check(*low < *high, Status::kFormat, path, ": all ", gold.size(), " pairs have the score ",
          *low, ", with which nothing correlates: the best weights cannot be chosen by this file");
  }
  double score(const DevSubject& subject, const Cancel*) const override {
    return eval::evaluate_sts(subsets_, subject.encoder(), retrieval::Metric::kCosine).all.spearman;
  }
  const char* measure() const override { return "spearman"; }

 private:
  std::vector<eval::StsSubset> subsets_;
};

// Every first text searches for its second one among all second texts. Ties count against it,
// because collapsed vectors must not look good.
class PairsDev : public DevSet {
 public:
  explicit PairsDev(const std::string& path) {
    Config config;
    config.set_json("data.format", "tsv");
    const auto data = data::open_dataset(path, config);
    for (int64_t i = 0; i < data->size(); ++i) pairs_.push_back(data->get(i));
    check(pairs_[0].has_b, Status::kFormat, path,
          ": lines 'text TAB text' are needed to measure retrieval");
    for (const data::Example& pair : pairs_) {
      queries_.push_back(texts_.add(pair.a));
      targets_.push_back(candidates_.add(pair.b));
    }
    check(candidates_.size() >= 2, Status::kFormat, path, ": ", pairs_.size(),
          " pairs with one second text between them, which every model finds: ",
          "the best weights cannot be chosen by this file");
  }

  double score(const DevSubject& subject, const Cancel* cancel) const override {
    const eval::TextEncoder& encoder = subject.encoder();
    const at::NoGradGuard no_grad;
    const at::Tensor queries = vectors(texts_, encoder), candidates = vectors(candidates_, encoder);
    double sum = 0;
    constexpr int64_t kBlock = 512;
    const int64_t n = static_cast<int64_t>(pairs_.size());
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      throw_if_cancelled(cancel);
      const int64_t rows = std::min(kBlock, n - begin);
      const at::Tensor block = queries.index_select(0, longs(queries_, begin, rows));
      const at::Tensor scores = tensors::product(block, candidates.t());  // [rows, candidates]
      const at::Tensor own =
          scores.gather(1, longs(targets_, begin, rows).unsqueeze(1));  // [rows, 1]
      const at::Tensor rank = scores.ge(own).sum(1);  // [rows], the target itself included
      sum += rank.to(at::kDouble).reciprocal().sum().item<double>();
    }
    return sum / static_cast<double>(n);
  }
  const char* measure() const override { return "mrr"; }

 private:
  static at::Tensor vectors(const eval::DistinctTexts& texts, const eval::TextEncoder& encoder) {
    std::vector<float> values = texts.encode(encoder);
    return objectives::normalize_rows(
        at::from_blob(values.data(), {texts.size(), encoder.dimension}, at::kFloat).clone());
  }
  static at::Tensor longs(const std::vector<int64_t>& values, int64_t begin, int64_t count) {
    return at::from_blob(const_cast<int64_t*>(values.data() + begin), {count}, at::kLong);
  }

  std::vector<data::Example> pairs_;  // owns the texts of the views below
  eval::DistinctTexts texts_, candidates_;
  std::vector<int64_t> queries_, targets_;
};

DevTask guess(const std::string& path) {
  if (is_directory(path)) return DevTask::kSts;
  const std::string first = data::first_line(path);
  const auto tabs = std::count(first.begin(), first.end(), '\t');
  check(tabs == 1 || tabs == 2, Status::kFormat, path,
        ":1: a dev file has lines 'score TAB text TAB text' or 'text TAB text', not ", tabs + 1,
        " columns");
  return tabs == 2 ? DevTask::kSts : DevTask::kPairs;
}

}  // namespace

std::unique_ptr<DevSet> open_dev_set(const std::string& path, DevTask task, methods::Gives gives) {
  check(path_exists(path), Status::kNotFound, path, ": the dev file is not there");
  if (gives != methods::Gives::kVectors) return open_pair_dev_set(path, task, gives);
  if (task == DevTask::kAuto) task = guess(path);
  if (task == DevTask::kSts) return std::make_unique<StsDev>(path);
  return std::make_unique<PairsDev>(path);
}

}  // namespace contrastive::run
