#include "capi/program/verb.h"

#include "capi/program/failure.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 ok; 1 other failure; 2 usage; 3 data or model format; 4 files; 5 memory or "
    "device; 6 NaN; 7 rows were skipped;\n"
    "8 check failed; 9 training is not installed; 10 adapt: the model did not get better; 130, 143 "
    "stopped by a signal.";

void print_log(int32_t level, const char* message, void*) {
  std::fprintf(stderr, "%s%s\n", level == CS_LOG_WARNING ? "warning: " : "", message);
}

// Applies the common options before the verb runs.
void apply(const Common& common) {
  Outcome outcome;
  set_quiet(common.quiet);
  print_messages(common);
  if (common.threads_given()) cs_set_threads(common.threads, outcome);
  outcome.check();
}

}  // namespace

void print_messages(const Common& common) {
  if (common.quiet) return;
  Outcome outcome;
  cs_set_log_sink(print_log,
                  common.verbosity > 1   ? CS_LOG_DEBUG
                  : common.verbosity > 0 ? CS_LOG_INFO
                                         : CS_LOG_WARNING,
                  nullptr, outcome);
  outcome.check();
}

Settings ModelArguments::settings() const {
  Settings settings(config, assignments);
  if (!device.empty()) settings.set_flag("device", device);
  if (!precision.empty()) settings.set_flag("precision", precision);
  return settings;
}

CLI::App* add_verb(CLI::App& program, const std::string& name, const std::string& purpose,
                   const std::string& footer, Common& common, std::function<void()> run) {
  CLI::App* verb = program.add_subcommand(name, purpose);
  verb->footer("Examples:\n" + footer + "\n\n" + kExitCodes);
  verb->add_flag("--json", common.json,
                 "results as JSON on standard output, errors as JSON on standard error")
      ->envname("CONTRASTIVE_JSON");
  verb->add_flag("-q,--quiet", common.quiet, "print errors only: no progress, no other messages");
  verb->add_flag("--no-progress", common.no_progress, "no progress line");
  verb->add_flag("-v,--verbose", common.verbosity, "print more messages; -vv prints all of them");
  verb->add_option("--threads", common.threads,
                   "threads to compute with; default: one for each processor that this process may "
                   "use")
      ->check(CLI::Range(1, 1024))
      ->envname("CONTRASTIVE_THREADS");
  verb->callback([&common, run = std::move(run)] {
    apply(common);
    run();
  });
  return verb;
}

void add_model_options(CLI::App* verb, ModelArguments& arguments) {
  add_option(verb, "-m,--model", arguments.model,
             "model folder of sentence-transformers or Hugging Face")
      ->required();
  add_option(verb, "--device", arguments.device, "cpu, cuda or cuda:N; default cpu");
  add_option(verb, "--precision", arguments.precision,
             "float32, bfloat16 or int8 (on the CPU, not for training); default float32");
  add_option(verb, "--pooling", arguments.pooling,
             "mean, cls, max, ...; default: the model's own; required if the model states none");
  verb->add_option("--config", arguments.config, "JSON file of config keys");
  one_at_a_time(
      verb->add_option("--set", arguments.assignments, "one config key: --set key=value"));
}

Model load_model(const ModelArguments& arguments, const Settings& settings, bool main_topic) {
  if (arguments.model.empty()) throw usage_failure("--model is empty: a folder is needed");
  Settings own = settings;
  if (!arguments.pooling.empty()) own.set_flag("pooling", arguments.pooling);
  if (!arguments.embeds) own.set_flag("embeds", "false");
  const ConfigHandle config = own.config("model", main_topic);
  Outcome outcome;
  Model model(cs_model_load(arguments.model.c_str(), config.get(), outcome));
  outcome.check();
  if (!arguments.any_kind && cs_model_kind(model.get()) == CS_KIND_RERANKER) {
    throw usage_failure("'" + arguments.model + "' is a reranker, and a sentence encoder is needed",
                        "use contrastive rerank, or --pooling to embed with its encoder");
  }
  return model;
}

Model load_model(const ModelArguments& arguments) {
  Settings settings = arguments.settings();
  settings.use_topic("model");
  return load_model(arguments, settings, true);
}

}  // namespace contrastive::cli
