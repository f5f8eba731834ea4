#include "capi/program/suggest.h"

#include <algorithm>
#include <cstdlib>

#include "capi/program/settings.h"
#include "core/base/nearest.h"

namespace contrastive::cli {
namespace {

constexpr size_t kLongestName = 64;  // longest word that a message repeats

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Failure unknown_word(const std::string& word, const std::string& what,
                     const std::vector<std::string>& known, const std::string& list) {
  const std::string near = word.size() > kLongestName ? "" : nearest_name(word, known);
  return usage_failure("'" + word.substr(0, kLongestName) + "' is not " + what +
                           (near.empty() ? "" : "; did you mean '" + near + "'?"),
                       list);
}

// For a parser error such as "--threads: Value abc not in range 1 to 1024": the environment
// variable that the value came from, or "" if it is on the command line.
std::string variable_of(const CLI::App& verb, const std::string& problem) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string& name = option->get_envname();
    if (name.empty() || problem.rfind(option->get_name() + ":", 0) != 0) continue;
    const std::vector<std::string>& words = remembered_command_line();
    const auto names_it = [&](const std::string& word) {
      return option->check_name(word.substr(0, word.find('=')));
    };
    if (std::getenv(name.c_str()) != nullptr && std::none_of(words.begin(), words.end(), names_it))
      return name;
  }
  return "";
}

}  // namespace

Failure command_line_failure(const CLI::App& program, const CLI::ParseError& problem, int argc,
                             char** argv) {
  const std::string verbs_list = "`contrastive --help` lists the verbs";
  if (argc < 2) return usage_failure(problem.what(), verbs_list);
  std::vector<std::string> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  const std::string first = argv[1];
  if (std::find(verbs.begin(), verbs.end(), first) == verbs.end()) {
    return first.rfind("-", 0) == 0 ? usage_failure(problem.what(), verbs_list)
                                    : unknown_word(first, "a verb", verbs, verbs_list);
  }
  const std::string options_list = "`contrastive " + first + " --help` lists the options";
  const CLI::App& verb = *program.get_subcommand(first);
  const std::vector<std::string> known = option_names(verb);
  for (int i = 2; i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (word.rfind("--", 0) == 0 && std::find(known.begin(), known.end(), word) == known.end()) {
      return unknown_word(word, "an option", known, options_list);
    }
  }
  const std::string variable = variable_of(verb, problem.what());
  return usage_failure(problem.what(),
                       variable.empty()
                           ? options_list
                           : "the value is that of the environment variable " + variable);
}

}  // namespace contrastive::cli
