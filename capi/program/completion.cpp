// contrastive completion: generates a completion script for bash, zsh or fish from the help. It
// completes verbs, options, their values and file names.
#include "capi/program/help_outline.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

std::string words(const std::vector<std::string>& list, const std::string& separator = " ") {
  std::string text;
  for (const std::string& word : list) text += (text.empty() ? "" : separator) + word;
  return text;
}

// Escapes: puts `before` before each character of `text` that is in `special`.
std::string marked(const std::string& text, const std::string& special, const std::string& before) {
  std::string out;
  for (const char c : text) out += (special.find(c) == std::string::npos ? "" : before) + c;
  return out;
}

// Quotes a text as one word of bash or zsh, or as one word of fish, where a backslash in quotes is
// special.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}
std::string in_fish_quotes(const std::string& text) {
  return "'" + marked(text, "\\'", "\\") + "'";
}

std::vector<std::string> verb_names(const ProgramOutline& program) {
  std::vector<std::string> names;
  for (const VerbOutline& verb : program.verbs) names.push_back(verb.name);
  return names;
}

std::vector<std::string> positional_choices(const VerbOutline& verb) {
  std::vector<std::string> all;
  for (const OptionOutline& positional : verb.positionals)
    all.insert(all.end(), positional.choices.begin(), positional.choices.end());
  return all;
}

std::string bash_case(const VerbOutline& verb) {
  std::vector<std::string> names;
  std::string values;
  for (const OptionOutline& option : verb.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (!option.choices.empty())
      values +=
          "        " + words(option.names, " | ") + ") values='" + words(option.choices) + "' ;;\n";
  }
  std::string text = "    " + verb.name + ")\n      options='" + words(names) + "'\n";
  const std::vector<std::string> first = positional_choices(verb);
  if (!first.empty()) text += "      values='" + words(first) + "'\n";
  if (!values.empty()) text += "      case $before in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

std::string bash_script(const ProgramOutline& program) {
  std::string cases;
  for (const VerbOutline& verb : program.verbs) cases += bash_case(verb);
  return R"(# bash completion for contrastive, made by `contrastive completion bash`
_contrastive() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= values=
  compopt +o filenames 2>/dev/null  # a verb or a value stays one where a folder has its name
  # bash makes separate words from the parts of --option=value
  if [ "$word" = = ]; then word=; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ')" +
         words(verb_names(program)) + R"( --help --version' -- "$word"))
    return
  fi
  case ${COMP_WORDS[1]} in
)" + cases +
         R"(  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _contrastive contrastive
)";
}

// The part of a specification for zsh's _arguments that completes a value: ":what:how".
std::string zsh_value(const OptionOutline& option) {
  const std::string what = ":" + marked(option.names.back(), ":", "\\") + ":";
  if (!option.choices.empty()) return what + "(" + words(option.choices) + ")";
  return what + (option.is_number() ? " " : "_files");
}

std::string zsh_option(const OptionOutline& option) {
  const std::string help =
      "[" + marked(option.help, "[]:\\", "\\") + "]" + (option.is_flag() ? "" : zsh_value(option));
  std::vector<std::string> forms;
  for (const std::string& name : option.names)
    forms.push_back(name + (!option.is_flag() && name.rfind("--", 0) == 0 ? "=" : ""));
  const std::string name = forms.size() == 1 ? in_quotes("*" + forms[0] + help)
                                             : "'*'{" + words(forms, ",") + "}" + in_quotes(help);
  return "        " + name;
}

std::string zsh_script(const ProgramOutline& program) {
  std::string verbs, cases;
  for (const VerbOutline& verb : program.verbs) {
    verbs += "    " + in_quotes(verb.name + ":" + marked(verb.purpose, ":\\", "\\")) + "\n";
    cases += "    " + verb.name + ")\n      _arguments -s \\\n";
    for (const OptionOutline& option : verb.options) cases += zsh_option(option) + " \\\n";
    const std::vector<std::string> first = positional_choices(verb);
    cases += "        " + (first.empty() ? std::string("'*:file:_files'")
                                         : in_quotes("1:" + verb.positionals[0].names[0] + ":(" +
                                                     words(first) + ")"));
    cases += "\n      ;;\n";
  }
  return R"(#compdef contrastive
# zsh completion for contrastive, made by `contrastive completion zsh`
_contrastive() {
  local -a verbs
  verbs=(
)" + verbs +
         R"(  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
)" + cases +
         R"(  esac
}
if [[ $funcstack[1] == _contrastive ]]; then _contrastive "$@"; else compdef _contrastive contrastive; fi
)";
}

std::string fish_option(const std::string& verb, const OptionOutline& option) {
  std::string line = "complete -c contrastive -n '__contrastive_verb " + verb + "'";
  for (const std::string& name : option.names)
    line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty()) {
    line += " -x -a " + in_fish_quotes(words(option.choices));
  } else if (!option.is_flag()) {
    line += option.is_number() ? " -x" : " -r";
  }
  return line + " -d " + in_fish_quotes(option.help) + "\n";
}

std::string fish_script(const ProgramOutline& program) {
  std::string text = R"(# fish completion for contrastive, made by `contrastive completion fish`
function __contrastive_no_verb
  test (count (commandline -opc)) -eq 1
end
function __contrastive_verb
  set -l words (commandline -opc)
  test (count $words) -ge 2; and test $words[2] = $argv[1]
end
)";
  for (const VerbOutline& verb : program.verbs) {
    text += "complete -c contrastive -n __contrastive_no_verb -f -a " + verb.name + " -d " +
            in_fish_quotes(verb.purpose) + "\n";
  }
  for (const VerbOutline& verb : program.verbs) {
    for (const OptionOutline& option : verb.options) text += fish_option(verb.name, option);
    const std::vector<std::string> first = positional_choices(verb);
    if (!first.empty())
      text += "complete -c contrastive -n '__contrastive_verb " + verb.name + "' -f -a " +
              in_fish_quotes(words(first)) + "\n";
  }
  return text;
}

void run(const CLI::App& program, const std::string& shell) {
  const ProgramOutline outline = outline_of(program);
  print(shell == "zsh"    ? zsh_script(outline)
        : shell == "fish" ? fish_script(outline)
                          : bash_script(outline));
}

}  // namespace

void add_completion(CLI::App& program, Common& common) {
  static std::string shell = "bash";
  CLI::App* verb =
      add_verb(program, "completion", "Print a completion script for bash, zsh or fish",
               R"(  source <(contrastive completion)
  contrastive completion zsh >~/.zfunc/_contrastive             # a folder of zsh's $fpath
  contrastive completion fish >~/.config/fish/completions/contrastive.fish)",
               common, [&program] { run(program, shell); });
  verb->add_option("shell", shell, "bash, zsh or fish; default bash")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

}  // namespace contrastive::cli
