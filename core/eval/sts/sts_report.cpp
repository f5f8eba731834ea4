#include "core/eval/sts/sts_report.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/eval/correlation.h"
#include "core/eval/figures.h"

namespace contrastive::eval {
namespace {

Json numbers(const StsReport& report, double Correlation::* which) {
  return {{"all", number_or_null(report.all.*which)},
          {"mean", number_or_null(report.mean.*which)},
          {"wmean", number_or_null(report.wmean.*which)}};
}

// The mean of what is defined; NaN where nothing is.
class Mean {
 public:
  void add(double value, double weight = 1) {
    if (std::isnan(value)) return;
    sum_ += value * weight;
    weight_ += weight;
  }
  double value() const { return sum_ / weight_; }  // 0 / 0 gives the intended NaN

 private:
  double sum_ = 0, weight_ = 0;
};

void average_subsets(StsReport& report, double Correlation::* which) {
  Mean mean, wmean;
  for (const StsReport::Subset& subset : report.subsets) {
    mean.add(subset.correlation.*which);
    wmean.add(subset.correlation.*which, static_cast<double>(subset.pairs));
  }
  report.mean.*which = mean.value();
  report.wmean.*which = wmean.value();
}

double average_sets(const StsSuiteReport& report, Correlation StsReport::* aggregate,
                    double Correlation::* which) {
  Mean mean;
  for (const auto& [name, set] : report.sets) mean.add(set.*aggregate.*which);
  return mean.value();
}

// A text of a CSV file may contain the characters that separate columns here.
void add_text(std::string& lines, const std::string& text) {
  for (const char c : text) lines += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
}

bool undefined(const Correlation& correlation) {
  return std::isnan(correlation.spearman) || std::isnan(correlation.pearson);
}

}  // namespace

const std::vector<std::pair<std::string, StsAggregate>>& sts_aggregate_names() {
  static const std::vector<std::pair<std::string, StsAggregate>> names = {
      {"all", StsAggregate::kAll}, {"mean", StsAggregate::kMean}, {"wmean", StsAggregate::kWmean}};
  return names;
}

const Correlation& StsReport::at(StsAggregate aggregate) const {
  return aggregate == StsAggregate::kAll ? all : aggregate == StsAggregate::kMean ? mean : wmean;
}

StsReport correlate_sts(const std::vector<StsSubset>& subsets, const SubsetScores& predictions) {
  check(subsets.size() == predictions.size(), Status::kMismatch, "predictions for ",
        predictions.size(), " of ", subsets.size(), " subsets");
  StsReport report;
  std::vector<double> all_gold, all_predictions;
  for (size_t i = 0; i < subsets.size(); ++i) {
    const StsSubset& subset = subsets[i];
    const Correlation found{spearman(predictions[i], subset.gold),
                            pearson(predictions[i], subset.gold)};
    report.subsets.push_back(
        {subset.name, static_cast<int64_t>(subset.gold.size()), subset.unscored, found});
    all_gold.insert(all_gold.end(), subset.gold.begin(), subset.gold.end());
    all_predictions.insert(all_predictions.end(), predictions[i].begin(), predictions[i].end());
  }
  report.all = {spearman(all_predictions, all_gold), pearson(all_predictions, all_gold)};
  average_subsets(report, &Correlation::spearman);
  average_subsets(report, &Correlation::pearson);
  return report;
}

StsSuiteReport correlate_sts_sets(const std::vector<StsSet>& sets,
                                  const SubsetScores& predictions) {
  StsSuiteReport report;
  auto next = predictions.begin();
  for (const StsSet& set : sets) {
    const auto count = static_cast<std::ptrdiff_t>(set.subsets.size());
    check(predictions.end() - next >= count, Status::kMismatch, "predictions for ",
          predictions.size(), " subsets, which end in data set ", set.name);
    report.sets.emplace_back(set.name, correlate_sts(set.subsets, {next, next + count}));
    next += count;
  }
  check(next == predictions.end(), Status::kMismatch, "predictions for ", predictions.size(),
        " subsets, more than there are");
  for (Correlation StsReport::* aggregate :
       {&StsReport::all, &StsReport::mean, &StsReport::wmean}) {
    for (double Correlation::* which : {&Correlation::spearman, &Correlation::pearson}) {
      report.average.*aggregate.*which = average_sets(report, aggregate, which);
    }
  }
  return report;
}

std::string predictions_tsv(const std::vector<StsSet>& sets, const SubsetScores& predictions) {
  std::string lines;
  auto of_subset = predictions.begin();
  const auto add = [&](auto value) {
    char digits[32];
    lines += '\t';
    lines.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  };
  for (const StsSet& set : sets) {
    for (const StsSubset& subset : set.subsets) {
      check(of_subset != predictions.end() && of_subset->size() == subset.gold.size(),
            Status::kMismatch, "the predictions of subset ", subset.name,
            " do not belong to its pairs");
      for (size_t i = 0; i < subset.gold.size(); ++i) {
        lines += set.name + '\t' + subset.name;
        add(subset.gold[i]);
        add(static_cast<float>((*of_subset)[i]));
        for (const std::string* text : {&subset.first[i], &subset.second[i]})
          add_text(lines += '\t', *text);
        lines += '\n';
      }
      ++of_subset;
    }
  }
  return lines;
}

StsSuiteReport undefined_report(const std::vector<StsSet>& sets) {
  SubsetScores constant;
  for (const StsSet& set : sets) {
    for (const StsSubset& subset : set.subsets) constant.emplace_back(subset.gold.size());
  }
  return correlate_sts_sets(sets, constant);
}

void warn_of_undefined(const StsSuiteReport& report) {
  for (const auto& [name, set] : report.sets) {
    for (const StsReport::Subset& subset : set.subsets) {
      if (!undefined(subset.correlation)) continue;
      log_warning("subset '", subset.name,
                  "' has no correlation (its scores or its similarities are constant or not "
                  "finite): left out of the means");
    }
    if (undefined(set.all))
      log_warning("data set '", name,
                  "' has no correlation over all its pairs: left out of the average");
  }
}

Json StsReport::to_json() const {
  Json json = {{"spearman", numbers(*this, &Correlation::spearman)},
               {"pearson", numbers(*this, &Correlation::pearson)},
               {"subsets", Json::object()}};
  for (const Subset& subset : subsets) {
    json["subsets"][subset.name] = {{"pairs", subset.pairs},
                                    {"unscored", subset.unscored},
                                    {"spearman", number_or_null(subset.correlation.spearman)},
                                    {"pearson", number_or_null(subset.correlation.pearson)}};
  }
  return json;
}

Json StsSuiteReport::to_json(StsAggregate headline) const {
  if (sets.size() == 1) return sets[0].second.to_json();
  std::string name;
  for (const auto& [text, aggregate] : sts_aggregate_names()) {
    if (aggregate == headline) name = text;
  }
  Json json = {{"headline", {{"spearman." + name, number_or_null(average.at(headline).spearman)}}},
               {"spearman", numbers(average, &Correlation::spearman)},
               {"pearson", numbers(average, &Correlation::pearson)},
               {"sets", Json::object()}};
  for (const auto& [set, report] : sets) json["sets"][set] = report.to_json();
  return json;
}

}  // namespace contrastive::eval
