// contrastive inspect: shows what a model folder contains and how the library read it.
#include "capi/program/failure.h"
#include "capi/program/json_of.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

void print_entries(const Json& entries, const std::string& indent) {
  for (const auto& [key, value] : entries.items()) {
    if (value.is_object() && !value.empty()) {
      print_line(indent + key + ":");
      print_entries(value, indent + "  ");
    } else if (value.is_array() && !value.empty() && value[0].is_string()) {
      print_line(indent + key + ":");
      for (const Json& item : value) print_line(indent + "  - " + plain(item));
    } else {
      print_line(indent + key + ": " + plain(value));
    }
  }
}

void run(const ModelArguments& arguments, const Common& common) {
  const Model model = load_model(arguments);
  Outcome outcome;
  const String text(cs_model_info(model.get(), outcome));
  outcome.check();
  const Json info = Json::parse(text.get());
  if (common.json) {
    print_json(info);
  } else {
    print_entries(info, "");
  }
}

}  // namespace

void add_inspect(CLI::App& program, Common& common) {
  static ModelArguments arguments;
  CLI::App* verb =
      add_verb(program, "inspect",
               "Show what a model folder contains, which defaults were used, and what was ignored",
               R"(  contrastive inspect --model DIR
  contrastive inspect --model DIR --json)",
               common, [&common] { run(arguments, common); });
  arguments.embeds = false;
  arguments.any_kind = true;
  add_model_options(verb, arguments);
}

}  // namespace contrastive::cli
