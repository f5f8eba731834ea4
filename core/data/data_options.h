// The config keys "data.*": how to read the lines of a training file, and what to do with lines
// that cannot be used.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/base/options.h"

namespace contrastive::data {

enum class FileFormat { kAuto, kText, kTsv, kJsonl };
enum class EmptyPolicy { kSkip, kKeep, kError };
enum class ErrorPolicy { kStop, kSkip };
enum class Utf8Policy { kReplace, kError };
enum class Duplicates { kKeep, kApart };

// A condition of data.where: a column or member must have one of these values.
struct Condition {
  std::string column;
  std::vector<std::string> values;
};

struct DataOptions {
  static constexpr const char* kPrefix = "data.";

  FileFormat format = FileFormat::kAuto;
  std::vector<std::string> columns;
  std::vector<std::string> negatives, scores;  // column_keys.h
  std::vector<std::string> where;
  bool header = false;
  std::vector<std::string> label_names;
  double min_label = -std::numeric_limits<double>::max();
  double max_label = std::numeric_limits<double>::max();
  EmptyPolicy empty = EmptyPolicy::kSkip;
  ErrorPolicy on_error = ErrorPolicy::kStop;
  Utf8Policy invalid_utf8 = Utf8Policy::kReplace;
  Duplicates duplicates = Duplicates::kKeep;  // applied by the trainer

  void visit(OptionVisitor& v);
  void validate() const;  // kArgument for settings that exclude each other
  bool filters_by_label() const;
  std::vector<Condition> conditions() const;  // data.where by column
};

// Reads and validates the keys of `config` that begin with "data.". Refuses unknown ones among
// them. Ignores other keys.
DataOptions read_data_options(const Config& config);

}  // namespace contrastive::data
