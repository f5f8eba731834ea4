#include "capi/program/help_outline.h"

#include <sstream>

namespace contrastive::cli {
namespace {

constexpr const char* kExamplesMark = "Examples:";
constexpr const char* kExitCodesMark = "Exit codes: ";

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end = text.find(separator); end != std::string::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// CLI11 writes the allowed values after the type: "TEXT:{auto,txt}", "INT:INT in [1 - 1024]".
void read_type(const std::string& type, OptionOutline& option) {
  const size_t colon = type.find(':');
  option.value = type.substr(0, colon);
  if (colon == std::string::npos) return;
  const std::string limits = type.substr(colon + 1);
  const size_t open = limits.find('{'), close = limits.find('}'), range = limits.find(" in [");
  if (open != std::string::npos && close != std::string::npos)
    option.choices = split(limits.substr(open + 1, close - open - 1), ",");
  if (range == std::string::npos) return;
  const std::vector<std::string> ends =
      split(limits.substr(range + 5, limits.find(']') - range - 5), " - ");
  if (ends.size() == 2) option.range = ends[0] + " to " + ends[1];
}

OptionOutline option_outline(const CLI::Option& from) {
  OptionOutline option;
  for (const std::string& name : from.get_snames()) option.names.push_back("-" + name);
  for (const std::string& name : from.get_lnames()) option.names.push_back("--" + name);
  if (option.names.empty()) option.names.push_back(from.get_single_name());
  if (from.get_type_size() != 0) read_type(from.get_type_name(), option);
  option.help = from.get_description();
  option.environment = from.get_envname();
  option.required = from.get_required();
  return option;
}

// Parses the footer that add_verb gives every verb: indented examples, notes, exit codes.
void read_foot(const std::string& foot, VerbOutline& verb) {
  const size_t codes = foot.rfind(kExitCodesMark);
  std::istringstream lines(foot.substr(0, codes));
  bool in_examples = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == kExamplesMark) {
      in_examples = true;
    } else if (in_examples && line.rfind(' ', 0) == 0) {
      verb.examples.push_back(line.substr(line.find_first_not_of(' ')));
    } else if (!line.empty() || !verb.notes.empty()) {
      in_examples = false;
      verb.notes.push_back(line);
    }
  }
  while (!verb.notes.empty() && verb.notes.back().empty()) verb.notes.pop_back();
  if (codes == std::string::npos) return;
  std::string text = foot.substr(codes + std::string(kExitCodesMark).size());
  for (char& c : text) c = c == '\n' ? ' ' : c;
  if (!text.empty() && text.back() == '.') text.pop_back();
  verb.exit_codes = split(text, "; ");
}

VerbOutline verb_outline(const CLI::App& from) {
  VerbOutline verb;
  verb.name = from.get_name();
  verb.purpose = from.get_description();
  for (const CLI::Option* option : from.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    (option->get_positional() ? verb.positionals : verb.options).push_back(option_outline(*option));
  }
  read_foot(from.get_footer(), verb);
  return verb;
}

}  // namespace

ProgramOutline outline_of(const CLI::App& program) {
  ProgramOutline outline;
  outline.name = program.get_name();
  outline.purpose = program.get_description();
  outline.foot = program.get_footer();
  for (const CLI::Option* option : program.get_options())
    outline.options.push_back(option_outline(*option));
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    outline.verbs.push_back(verb_outline(*verb));
  return outline;
}

}  // namespace contrastive::cli
