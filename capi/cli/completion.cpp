// contrastive completion: a script for bash that completes verbs, options and file names, made from the options that the program really has.
#include "capi/cli/terminal.h"
#include "capi/cli/verb.h"

namespace contrastive::cli {
namespace {

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += (text.empty() ? "" : " ") + word;
  return text;
}

void run(const CLI::App& program) {
  std::vector<std::string> verbs;
  std::string cases;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
    std::vector<std::string> options;
    for (const CLI::Option* option : verb->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
    cases += "    " + verb->get_name() + ") options='" + words(options) + "' ;;\n";
  }
  print("_contrastive() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} options=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    COMPREPLY=($(compgen -W '" +
        words(verbs) +
        "' -- \"$word\"))\n"
        "    return\n"
        "  fi\n"
        "  case ${COMP_WORDS[1]} in\n" +
        cases +
        "  esac\n"
        "  if [[ $word == -* ]]; then\n"
        "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "  else\n"
        "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
        "  fi\n"
        "}\n"
        "complete -o filenames -F _contrastive contrastive\n");
}

}  // namespace

void add_completion(CLI::App& program, Common& common) {
  add_verb(program, "completion", "Print a completion script for bash", "  source <(contrastive completion)", common, [&program] { run(program); });
}

}  // namespace contrastive::cli
