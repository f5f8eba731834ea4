// Shared by all verbs: the common options, loading a model, and adding a verb to the program.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capi/program/handle.h"
#include "capi/program/settings.h"

namespace contrastive::cli {

struct Common {
  bool json = false;
  bool quiet = false;
  bool no_progress = false;
  int verbosity = 0;
  int threads = 0;
  bool threads_given() const { return threads > 0; }
  bool progress() const { return !quiet && !no_progress; }
};

// Prints the library's log messages as the common options request. Every verb starts with it; a
// verb that redirected the log calls it to restore it.
void print_messages(const Common& common);

// The options that say which model to load and how: --model, --device, ..., --config and --set.
struct ModelArguments {
  std::string model, device, precision, pooling, config;
  std::vector<std::string> assignments;
  bool embeds = true;     // false: the verb needs no pooling
  bool any_kind = false;  // true: the verb works with rerankers too

  Settings settings() const;  // the file, the assignments, and the flags of this struct
};

// Adds a subcommand with a one-line purpose, a `footer` with examples, and the common options.
// `run` is called after everything was parsed.
CLI::App* add_verb(CLI::App& program, const std::string& name, const std::string& purpose,
                   const std::string& footer, Common& common, std::function<void()> run);
// Adds an option that can also come from the environment, as CONTRASTIVE_<NAME>.
template <class Value>
CLI::Option* add_option(CLI::App* verb, const std::string& name, Value& value,
                        const std::string& help) {
  return verb->add_option(name, value, help)
      ->envname(environment_name(name.substr(name.rfind("--") + 2)));
}
// For a repeatable option with one value: it does not consume the arguments after that value.
inline CLI::Option* one_at_a_time(CLI::Option* option) {
  return option->expected(1)->take_all()->allow_extra_args(false);
}
void add_model_options(CLI::App* verb, ModelArguments& arguments);

// `main_topic`: true if no other topic of the verb refuses unknown keys. A usage error for a
// reranker unless `arguments.any_kind`.
Model load_model(const ModelArguments& arguments, const Settings& settings, bool main_topic);
// The same for a verb that has only the keys of the model.
Model load_model(const ModelArguments& arguments);

// Gives the option --method of the verb train the names of the methods. Loads LibTorch.
void describe_methods(CLI::App& train);

// Each adds one verb of the program, and is in a separate file.
void add_train(CLI::App& program, Common& common);
void add_encode(CLI::App& program, Common& common);
void add_similarity(CLI::App& program, Common& common);
void add_search(CLI::App& program, Common& common);
void add_rerank(CLI::App& program, Common& common);
void add_serve(CLI::App& program, Common& common);
void add_eval(CLI::App& program, Common& common);
void add_adapt(CLI::App& program, Common& common);
void add_mine(CLI::App& program, Common& common);
void add_report(CLI::App& program, Common& common);
void add_tokenize(CLI::App& program, Common& common);
void add_inspect(CLI::App& program, Common& common);
void add_bench(CLI::App& program, Common& common);
void add_config(CLI::App& program, Common& common);
void add_create(CLI::App& program, Common& common);
void add_vocabulary(CLI::App& program, Common& common);
void add_doctor(CLI::App& program, Common& common);
void add_version(CLI::App& program, Common& common);
void add_completion(CLI::App& program, Common& common);
void add_man(CLI::App& program, Common& common);

}  // namespace contrastive::cli
