#include "capi/program/experiment/experiment_file.h"

#include <algorithm>
#include <set>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "core/base/nearest.h"

namespace contrastive::cli {
namespace {

// One object of the file, key by key. Keys that nobody asked for are refused by done().
class Reader {
 public:
  Reader(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) throw usage_failure("key '" + place_ + "' takes an object");
  }

  std::string full(const std::string& key) const {
    return place_.empty() ? key : place_ + "." + key;
  }
  const Json* find(const std::string& key) {
    known_.push_back(key);
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string text(const std::string& key, const std::string& absent = "") {
    const Json* value = find(key);
    return value == nullptr ? absent
                            : expect(key, value->is_string(), *value, "a text").get<std::string>();
  }
  std::string needed_text(const std::string& key) {
    if (std::string value = text(key); !value.empty()) return value;
    throw usage_failure("key '" + full(key) + "' is missing");
  }
  int64_t integer(const std::string& key, int64_t low, int64_t high, int64_t absent) {
    const Json* value = find(key);
    if (value == nullptr) return absent;
    const bool whole = value->is_number_integer() && *value >= low && *value <= high;
    return expect(key, whole, *value,
                  "a whole number from " + std::to_string(low) + " to " + std::to_string(high))
        .get<int64_t>();
  }
  double real(const std::string& key, double absent) {
    const Json* value = find(key);
    return value == nullptr ? absent
                            : expect(key, value->is_number(), *value, "a number").get<double>();
  }
  bool flag(const std::string& key, bool absent) {
    const Json* value = find(key);
    return value == nullptr ? absent
                            : expect(key, value->is_boolean(), *value, "true or false").get<bool>();
  }
  Json object(const std::string& key) {
    const Json* value = find(key);
    return value == nullptr ? Json::object() : expect(key, value->is_object(), *value, "an object");
  }
  Json list(const std::string& key) {
    const Json* value = find(key);
    return value == nullptr ? Json::array()
                            : expect(key, value->is_array() && !value->empty(), *value,
                                     "a list that is not empty");
  }
  std::vector<std::string> texts(const std::string& key) {
    std::vector<std::string> result;
    for (const Json& item : list(key))
      result.push_back(expect(key, item.is_string(), item, "a list of texts").get<std::string>());
    return result;
  }
  const Json& expect(const std::string& key, bool good, const Json& value,
                     const std::string& what) const {
    if (!good)
      throw usage_failure("key '" + full(key) + "' takes " + what + ", not " + value.dump());
    return value;
  }
  void done() const {
    for (const auto& [key, value] : object_.items()) {
      if (key.rfind("x-", 0) == 0 || std::find(known_.begin(), known_.end(), key) != known_.end())
        continue;
      const std::string close = nearest_name(key, known_);
      throw usage_failure("key '" + full(key) + "' is not known",
                          close.empty() ? "" : "did you mean '" + full(close) + "'?");
    }
  }

 private:
  const Json& object_;
  std::string place_;
  std::vector<std::string> known_;
};

std::string item_place(const std::string& list, size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

void flatten_into(Json& flat, const Json& object, const std::string& prefix) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      flatten_into(flat, value, prefix + key + ".");
    } else {
      flat[prefix + key] = value;
    }
  }
}

// The train keys of a step or of all: "base", with "dev" as a key of its own.
Json train_config(Reader& reader) {
  Json config = flattened(reader.object("base"));
  if (const std::string dev = reader.text("dev"); !dev.empty()) config["dev"] = dev;
  if (config.contains("seed"))
    throw usage_failure("key '" + reader.full("base") +
                        ".seed': the seeds of the runs are those of the key 'seeds'");
  return config;
}

std::vector<StepSpec> read_steps(const Json& list, const std::string& place, const Json& base,
                                 const std::string& train) {
  static const std::set<std::string> kScopes = {"model", "create", "evaluate"};
  std::vector<StepSpec> steps;
  for (size_t i = 0; i < list.size(); ++i) {
    Reader reader(list[i], item_place(place, i));
    StepSpec step;
    step.name = reader.needed_text("name");
    const bool plain = step.name.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
                       std::string::npos;
    if (!plain || kScopes.count(step.name) != 0) {
      throw usage_failure("key '" + reader.full("name") + "': '" + step.name +
                              "' cannot be a step's name",
                          "letters, digits, - and _; not model, create or evaluate");
    }
    for (const StepSpec& other : steps) {
      if (other.name == step.name)
        throw usage_failure("key '" + reader.full("name") + "': two steps are called '" +
                            step.name + "'");
    }
    step.train = reader.text("train", train);
    step.config = base;
    step.config.update(train_config(reader));
    reader.done();
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<RowSpec> read_rows(const Json& list, const ExperimentFile& file, const Json& base,
                               const std::string& train) {
  std::vector<RowSpec> rows;
  for (size_t i = 0; i < list.size(); ++i) {
    Reader reader(list[i], item_place("rows", i));
    RowSpec row;
    row.name = reader.needed_text("name");
    for (const RowSpec& other : rows) {
      if (other.name == row.name)
        throw usage_failure("key '" + reader.full("name") + "': two rows are called '" + row.name +
                            "'");
    }
    row.model_of = reader.text("model_of");
    row.settings = flattened(reader.object("set"));
    row.in_grid = reader.flag("grid", true);
    if (const Json* steps = reader.find("steps")) {
      reader.expect("steps", steps->is_array(), *steps, "a list");
      row.steps = read_steps(*steps, reader.full("steps"), base, train);
    }
    const bool earlier = row.model_of.empty() ||
                         std::any_of(rows.begin(), rows.end(),
                                     [&](const RowSpec& r) { return r.name == row.model_of; });
    if (!earlier)
      throw usage_failure("key '" + reader.full("model_of") +
                          "': no row before this one is called '" + row.model_of + "'");
    if (!row.model_of.empty() && !file.keep_models) {
      throw usage_failure("key '" + reader.full("model_of") +
                          "' needs the model of another row, which keep_models = false removes");
    }
    reader.done();
    rows.push_back(std::move(row));
  }
  if (rows.empty()) rows.emplace_back();
  return rows;
}

std::string label_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// A list of values, each its own label; or labels with values; or labels with several settings
// each.
Axis read_axis(const std::string& key, const Json& values) {
  const std::string place = "grid." + key;
  if (!values.is_structured() || values.empty())
    throw usage_failure("key '" + place + "' is empty: a list of values, or labels with values");
  Axis axis{key, {}};
  for (const auto& [name, value] : values.items()) {
    std::string label = values.is_array() ? label_of(value) : name;
    const bool alike = std::any_of(axis.values.begin(), axis.values.end(),
                                   [&](const auto& other) { return other.first == label; });
    if (alike) throw usage_failure("key '" + place + "' has '" + label + "' twice");
    Json settings = value.is_object() ? flattened(value) : Json::object();
    if (!value.is_object()) settings[key] = value;
    axis.values.emplace_back(std::move(label), std::move(settings));
  }
  return axis;
}

std::vector<EvaluationSpec> read_evaluations(const Json& list) {
  std::vector<EvaluationSpec> evaluations;
  std::set<std::string> columns;
  for (size_t i = 0; i < list.size(); ++i) {
    Reader reader(list[i], item_place("evaluate", i));
    EvaluationSpec evaluation;
    evaluation.task = reader.needed_text("task");
    evaluation.config = flattened(reader.object("config"));
    evaluation.scale = reader.real("scale", 1);
    const Json figures = reader.object("figures");
    for (const auto& [column, path] : figures.items()) {
      if (!path.is_string())
        throw usage_failure("key '" + reader.full("figures." + column) +
                            "' takes a place such as \"spearman.all\"");
      if (!columns.insert(column).second)
        throw usage_failure("key '" + reader.full("figures." + column) +
                            "': two columns have this name");
      evaluation.figures.emplace_back(column, path.get<std::string>());
    }
    if (evaluation.figures.empty())
      throw usage_failure("key '" + reader.full("figures") +
                          "' is missing: columns with their places in the report");
    reader.done();
    evaluations.push_back(std::move(evaluation));
  }
  return evaluations;
}

std::vector<int64_t> read_seeds(Reader& reader, const std::vector<int64_t>& instead) {
  std::vector<int64_t> seeds;
  for (const Json& seed : reader.list("seeds")) {
    reader.expect("seeds", seed.is_number_integer() && seed >= 0, seed, "whole numbers from 0");
    if (std::find(seeds.begin(), seeds.end(), seed.get<int64_t>()) != seeds.end())
      throw usage_failure("key 'seeds' has " + seed.dump() + " twice");
    seeds.push_back(seed.get<int64_t>());
  }
  if (!instead.empty()) {
    if (std::set<int64_t>(instead.begin(), instead.end()).size() < instead.size())
      throw usage_failure("--seeds names a seed twice");
    return instead;
  }
  return seeds.empty() ? std::vector<int64_t>{1} : seeds;
}

// Columns that other columns are made of, or that are singled out, are columns.
void check_columns(const ExperimentFile& file) {
  std::vector<std::string> columns;
  for (const EvaluationSpec& evaluation : file.evaluate) {
    for (const auto& [column, path] : evaluation.figures) columns.push_back(column);
  }
  const bool open = std::any_of(columns.begin(), columns.end(), [](const std::string& c) {
    return c.find('*') != std::string::npos;
  });
  const auto check = [&](const std::string& column, const std::string& key) {
    if (open || std::find(columns.begin(), columns.end(), column) != columns.end()) return;
    const std::string close = nearest_name(column, columns);
    throw usage_failure("key '" + key + "': there is no column '" + column + "'",
                        close.empty() ? "" : "did you mean '" + close + "'?");
  };
  for (const auto& [column, of] : file.averages) {
    for (const std::string& part : of) check(part, "averages." + column);
  }
  for (const auto& [column, of] : file.averages) columns.push_back(column);
  for (const std::string& column : file.lower) check(column, "lower");
  for (const std::string& column : file.matrix) check(column, "matrix");
}

ExperimentFile read(const Json& document, const ExperimentOverrides& overrides) {
  ExperimentFile file;
  Reader reader(document, "");
  file.name = reader.needed_text("name");
  file.about = reader.text("about");
  reader.find("variables");
  file.model = reader.text("model");
  if (file.model == "") file.model = nullptr;
  file.load = flattened(reader.object("load"));
  file.create = flattened(reader.object("create"));
  file.seeds = read_seeds(reader, overrides.seeds);
  file.digits = static_cast<int>(reader.integer("digits", 0, 15, 4));
  file.save_every = reader.integer("save_every", 1, int64_t{1} << 40, 200);
  file.keep_models = reader.flag("keep_models", true);
  if (!file.model.is_null() && !file.create.empty())
    throw usage_failure("keys 'model' and 'create' exclude each other");

  const std::string train = reader.text("train");
  const Json base = train_config(reader);
  if (const Json* steps = reader.find("steps")) {
    reader.expect("steps", steps->is_array() && !steps->empty(), *steps,
                  "a list that is not empty");
    file.steps = read_steps(*steps, "steps", base, train);
  } else if (!base.empty() || !train.empty()) {
    file.steps.push_back({"train", train, base});
  }
  file.rows = read_rows(reader.list("rows"), file, base, train);
  const Json* grid = reader.find("grid");
  if (grid != nullptr) {
    reader.expect("grid", grid->is_object() && !grid->empty(), *grid,
                  "an object that is not empty: keys with lists of values");
    for (const auto& [key, values] : grid->items()) file.grid.push_back(read_axis(key, values));
  }
  file.evaluate = read_evaluations(reader.list("evaluate"));
  if (file.evaluate.empty())
    throw usage_failure("key 'evaluate' is missing: a list of tasks and the figures that are the "
                        "columns of the table");
  const Json averages = reader.object("averages");
  for (const auto& [column, of] : averages.items())
    file.averages.emplace_back(column, Reader(averages, "averages").texts(column));
  file.lower = reader.texts("lower");
  file.matrix = reader.texts("matrix");
  reader.done();
  check_columns(file);
  return file;
}

// JSON as it is, but for a key that stands twice, of which one would be lost without a word, and
// for depths that no experiment has.
Json parse_strictly(const std::string& text) {
  constexpr int kDeepest = 32;
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest)
      throw Failure(kExitData, "FORMAT",
                    "it is nested deeper than " + std::to_string(kDeepest) + " levels");
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key &&
        !open.back().insert(parsed.get<std::string>()).second) {
      throw Failure(kExitData, "FORMAT",
                    "key '" + parsed.get<std::string>() + "' stands twice in one object");
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& problem) {  // a number that no double holds is no parse_error
    throw Failure(kExitData, "FORMAT", "this is no JSON: " + std::string(problem.what()));
  }
}

}  // namespace

Json flattened(const Json& object) {
  Json flat = Json::object();
  flatten_into(flat, object, "");
  return flat;
}

ExperimentFile read_experiment(const std::string& path, const ExperimentOverrides& overrides) {
  const std::string text = read_text_file(path);
  try {
    const Json document = parse_strictly(text);
    if (!document.is_object()) throw Failure(kExitData, "FORMAT", "an experiment is a JSON object");
    const Json defaults = document.value("variables", Json::object());
    if (!defaults.is_object()) throw usage_failure("key 'variables' takes an object");
    const Variables variables(overrides.defines, defaults);
    Json resolved = variables.resolve(document, "");
    ExperimentFile file = read(resolved, overrides);
    file.path = path;
    for (const std::string& assignment : overrides.assignments) {
      const size_t equals = assignment.find('=');
      if (equals == std::string::npos || equals == 0)
        throw usage_failure("--set '" + assignment + "': key=value is needed");
      file.overrides[assignment.substr(0, equals)] = typed_value(assignment.substr(equals + 1));
    }
    return file;
  } catch (Failure& failure) {
    throw failure.file.empty() ? failure.at(path) : failure;
  }
}

}  // namespace contrastive::cli
