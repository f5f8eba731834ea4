// Options structs: a plain struct with defaults and one `visit` function. Reading from a Config,
// validation, dumping and `cs_config_describe` all use that one list of fields, so each key is
// named once.
//
//   struct NtXentOptions {
//     double temperature = 0.1;
//     Reduction reduction = Reduction::kMean;
//     void visit(OptionVisitor& v) {
//       v.real("temperature", temperature, above(0),
//              OptionDoc("divides every cosine").source("CLSR section 4.1"));
//       v.choice("reduction", reduction, {{"mean", Reduction::kMean}, {"sum", Reduction::kSum}},
//                "over the 2N rows");
//     }
//   };
//   // kArgument names the key, the value and the allowed range.
//   auto options = read_options<NtXentOptions>(config, "clsr.");
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/config.h"

namespace contrastive {

// The documentation of a key in `cs_config_describe`. A plain string converts to a documentation
// without source and unit: `v.flag("shuffle", shuffle, "new order every epoch")`.
class OptionDoc {
 public:
  OptionDoc(const char* help) : help_(help) {}  // one sentence
  OptionDoc(std::string help) : help_(std::move(help)) {}

  // Where the default comes from: a section of a paper, another library.
  OptionDoc& source(std::string text) { return source_ = std::move(text), *this; }
  OptionDoc& unit(std::string name) { return unit_ = std::move(name), *this; }
  // The key may change when a saved run is resumed. A key is fixed if the updates made so far
  // depend on it, as most do.
  OptionDoc& may_change() { return may_change_ = true, *this; }

 private:
  friend class OptionDescriber;
  std::string help_, source_, unit_;
  bool may_change_ = false;
};

// An interval of legal numbers. An open end excludes its bound. NaN is never in range.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  // Omits an upper bound of 1e9 or more, unless `refused` is above it.
  std::string text(double refused = std::numeric_limits<double>::quiet_NaN()) const;
};
inline Range between(double low, double high) { return {low, high, false, false}; }
inline Range inside(double low, double high) { return {low, high, true, true}; }
inline Range above(double low, double high = 1e9) { return {low, high, true, false}; }
inline Range at_least(double low, double high = 9007199254740992.0) {
  return {low, high, false, false};
}  // 2^53

class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void real(const char* key, double& value, const Range& range, const OptionDoc& doc) = 0;
  virtual void integer(const char* key, int64_t& value, const Range& range,
                       const OptionDoc& doc) = 0;
  virtual void flag(const char* key, bool& value, const OptionDoc& doc) = 0;
  virtual void text(const char* key, std::string& value, const OptionDoc& doc) = 0;
  virtual void name(const char* key, std::string& value, const std::vector<std::string>& legal,
                    const OptionDoc& doc) = 0;
  virtual void list(const char* key, std::vector<std::string>& value, const OptionDoc& doc) = 0;
  // A list of numbers, such as a grid's learning rates: at least one, each in `range`. Numbers
  // written as text ("1e-5", "16,32") are accepted too.
  virtual void numbers(const char* key, std::vector<double>& value, const Range& range,
                       const OptionDoc& doc) = 0;
  virtual void integers(const char* key, std::vector<int64_t>& value, const Range& range,
                        const OptionDoc& doc) = 0;

  template <class Enum>
  void choice(const char* key, Enum& value, const std::vector<std::pair<std::string, Enum>>& legal,
              const OptionDoc& doc) {
    std::vector<std::string> names;
    std::string current;
    for (const auto& [text, item] : legal) {
      names.push_back(text);
      if (item == value) current = text;
    }
    name(key, current, names, doc);
    for (const auto& [text, item] : legal) {
      if (text == current) value = item;
    }
  }

  // Visits a nested options struct under `prefix`, which ends in a dot.
  template <class Options>
  void nested(const std::string& prefix, Options& options) {
    const std::string saved = prefix_;
    prefix_ += prefix;
    options.visit(*this);
    prefix_ = saved;
  }

 protected:
  std::string full(const char* key) const { return prefix_ + key; }

 private:
  std::string prefix_;
};

// Reads every field that the config sets. Throws kArgument for a wrong type, range or name.
class OptionReader : public OptionVisitor {
 public:
  explicit OptionReader(const Config& config) : config_(config) {}
  void real(const char* key, double& value, const Range& range, const OptionDoc& doc) override;
  void integer(const char* key, int64_t& value, const Range& range, const OptionDoc& doc) override;
  void flag(const char* key, bool& value, const OptionDoc& doc) override;
  void text(const char* key, std::string& value, const OptionDoc& doc) override;
  void name(const char* key, std::string& value, const std::vector<std::string>& legal,
            const OptionDoc& doc) override;
  void list(const char* key, std::vector<std::string>& value, const OptionDoc& doc) override;
  void numbers(const char* key, std::vector<double>& value, const Range& range,
               const OptionDoc& doc) override;
  void integers(const char* key, std::vector<int64_t>& value, const Range& range,
                const OptionDoc& doc) override;

 private:
  const Config& config_;
};

// Collects the rows of `cs_config_describe`: key, type, default, range or names, unit, help, source
// and "may_change" (true or absent). The defaults are the current values of the struct.
class OptionDescriber : public OptionVisitor {
 public:
  void real(const char* key, double& value, const Range& range, const OptionDoc& doc) override;
  void integer(const char* key, int64_t& value, const Range& range, const OptionDoc& doc) override;
  void flag(const char* key, bool& value, const OptionDoc& doc) override;
  void text(const char* key, std::string& value, const OptionDoc& doc) override;
  void name(const char* key, std::string& value, const std::vector<std::string>& legal,
            const OptionDoc& doc) override;
  void list(const char* key, std::vector<std::string>& value, const OptionDoc& doc) override;
  void numbers(const char* key, std::vector<double>& value, const Range& range,
               const OptionDoc& doc) override;
  void integers(const char* key, std::vector<int64_t>& value, const Range& range,
                const OptionDoc& doc) override;
  const Json& rows() const { return rows_; }  // a JSON array

 private:
  Json& row(const char* key, const char* type, Json value, const OptionDoc& doc);
  Json rows_ = Json::array();
};

// `Options()`, not `{}`: GCC 12 destroys a nested struct of a `{}` that it never constructed.
template <class Options>
Options read_options(const Config& config, const std::string& prefix = "",
                     Options options = Options()) {
  OptionReader reader(config);
  reader.nested(prefix, options);
  return options;
}

template <class Options>
Json describe_options(const std::string& prefix = "", Options options = Options()) {
  OptionDescriber describer;
  describer.nested(prefix, options);
  return describer.rows();
}

// The struct's current values under their keys: the resolved config that is saved with a trained
// model.
template <class Options>
Config dump_options(Options options, const std::string& prefix = "") {
  Config config;
  for (const Json& row : describe_options<Options>(prefix, std::move(options)))
    config.set_json(row["key"], row["default"]);
  return config;
}

// Whether a row of describe_options() describes a key that may change when a saved run is resumed.
bool may_change_on_resume(const Json& row);
// The same row for a key that may change.
Json changeable_on_resume(Json row);

// Throws kArgument for the first key of `config` that no row describes, and suggests the nearest
// known key. Keys that begin with "x-" are the caller's own.
void reject_unknown_keys(const Config& config, const Json& described_rows);

}  // namespace contrastive
