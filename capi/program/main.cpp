// The `contrastive` program. It prints results on standard output, and everything else on standard
// error.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "capi/program/failure.h"
#include "capi/program/signals.h"
#include "capi/program/suggest.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

void add_verbs(CLI::App& program, Common& common) {
  add_train(program, common);
  add_encode(program, common);
  add_similarity(program, common);
  add_search(program, common);
  add_rerank(program, common);
  add_serve(program, common);
  add_eval(program, common);
  add_mine(program, common);
  add_adapt(program, common);
  add_report(program, common);
  add_tokenize(program, common);
  add_inspect(program, common);
  add_bench(program, common);
  add_config(program, common);
  add_create(program, common);
  add_vocabulary(program, common);
  add_doctor(program, common);
  add_version(program, common);
  add_completion(program, common);
  add_man(program, common);
}

// Whether --json is given, also if the rest of the command line is invalid.
bool wants_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

int finish(const Failure& failure, bool json) {
  print_failure(failure, json);
  return failure.exit_code;
}

int answer(const CLI::App& program, const CLI::Success& asked) {
  std::ostringstream text;
  program.exit(asked, text, text);
  try {
    print(text.str());
    flush_stdout();
  } catch (const Failure& failure) {
    return finish(failure, false);
  }
  return kExitOk;
}

int parse_and_run(CLI::App& program, Common& common, int argc, char** argv) {
  const bool json = wants_json(argc, argv);
  try {
    program.parse(argc, argv);
    flush_stdout();
    return kExitOk;
  } catch (const CLI::Success& answered) {  // --help, --version
    return answer(program, answered);
  } catch (const CLI::ParseError& problem) {
    return finish(command_line_failure(program, problem, argc, argv), json);
  } catch (const Failure& failure) {
    const bool stopped = failure.code == cs_status_name(CS_ERROR_CANCELLED) && stop_requested();
    print_failure(failure, common.json || json);
    return stopped ? stop_exit_code() : failure.exit_code;
  } catch (const std::bad_alloc&) {
    return finish({kExitMemory, cs_status_name(CS_ERROR_NO_MEMORY), "out of memory"}, common.json);
  } catch (const std::exception& problem) {
    return finish({kExitFailure, cs_status_name(CS_ERROR_INTERNAL), problem.what()}, common.json);
  }
}

}  // namespace
}  // namespace contrastive::cli

int main(int argc, char** argv) {
  using namespace contrastive::cli;
  settle_standard_streams();
  remember_command_line(argc, argv);
  watch_signals();
  Common common;
  CLI::App program(
      "Sentence embeddings by contrastive learning: train, encode, compare, search, measure.",
      "contrastive");
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  program.failure_message(CLI::FailureMessage::simple);
  program.footer("`contrastive VERB --help` lists the options of a verb and shows examples. An "
                 "option with (Env:NAME) can also be set by that environment variable.\n"
                 "A config key comes from --set key=value, else from the environment as "
                 "CONTRASTIVE_<KEY>, else from --config FILE.");
  program.set_version_flag("--version", std::string("contrastive ") + cs_version());
  add_verbs(program, common);
  const int code = parse_and_run(program, common, argc, argv);
  std::fflush(stdout);
  // The signal thread has nothing to clean up, and LibTorch's static destructors are slow.
  _Exit(code);
}
