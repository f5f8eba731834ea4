// contrastive man: generates manual pages for man(1) from the help, one for the program and one for
// each verb.
#include <algorithm>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/help_outline.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

// Escapes text for roff: hyphens stay ASCII minus signs, backslashes are literal, and no line
// begins a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    out += c == '-' ? std::string("\\-") : c == '\\' ? std::string("\\e") : std::string(1, c);
  }
  return out;
}

std::string section(const std::string& name) { return ".SH " + name + "\n"; }

std::string heading(const std::string& page) {
  std::string upper = page;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return R"(.\" made by `contrastive man`)"
         "\n.TH " +
         roff(upper) + " 1 \"\" \"contrastive " + cs_version() +
         "\" \"User Commands\"\n.nh\n.ad l\n";
}

// A help text is a phrase; adds a full stop.
std::string sentence(const std::string& text) {
  return text.empty() || text.back() == '.' ? text : text + ".";
}

std::string described(const OptionOutline& option) {
  std::string text = ".TP\n";
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  text += names + (option.is_flag() ? "" : " \\fI" + roff(option.value) + "\\fR") + "\n" +
          roff(sentence(option.help)) + "\n";
  std::string more;
  for (const std::string& choice : option.choices)
    more += (more.empty() ? "One of " : ", ") + choice;
  if (!option.range.empty()) more = "From " + option.range;
  if (!more.empty()) text += roff(more + ".") + "\n";
  if (option.required) text += "This option is required.\n";
  if (!option.environment.empty()) text += "Environment: \\fB" + option.environment + "\\fR.\n";
  return text;
}

std::string see_also(const std::vector<std::string>& pages) {
  std::string text = section("SEE ALSO");
  for (size_t i = 0; i < pages.size(); ++i)
    text += ".BR " + roff(pages[i]) + " (1)" + (i + 1 < pages.size() ? ",\n" : "\n");
  return text;
}

// Keeps indented lines as they are, and makes paragraphs of the others.
std::string notes_of(const VerbOutline& verb) {
  std::string text;
  bool as_is = false;
  for (const std::string& line : verb.notes) {
    const bool indented = line.rfind("  ", 0) == 0;
    if (indented != as_is && !line.empty()) {
      text += indented ? ".PP\n.EX\n" : ".EE\n.PP\n";
      as_is = indented;
    }
    text += line.empty() ? (as_is ? "\n" : ".PP\n") : roff(line) + "\n";
  }
  return text + (as_is ? ".EE\n" : "");
}

std::string verb_page(const ProgramOutline& program, const VerbOutline& verb) {
  const std::string page = program.name + "-" + verb.name;
  std::string text =
      heading(page) + section("NAME") + roff(page) + " \\- " + roff(verb.purpose) + "\n";
  text += section("SYNOPSIS") + ".B " + program.name + " " + roff(verb.name) + "\n";
  for (const OptionOutline& option : verb.options) {
    if (option.required)
      text += "\\fB" + roff(option.names.back()) + "\\fR \\fI" + roff(option.value) + "\\fR\n";
  }
  text += "[\\fIOPTION\\fR]...\n";
  for (const OptionOutline& positional : verb.positionals)
    text += "[\\fI" + roff(positional.names[0]) + "\\fR]\n";
  text += section("DESCRIPTION") + roff(sentence(verb.purpose)) + "\n" + notes_of(verb);
  for (const OptionOutline& positional : verb.positionals) text += described(positional);
  text += section("OPTIONS");
  for (const OptionOutline& option : verb.options) text += described(option);
  text += section("EXAMPLES") + ".EX\n";
  for (const std::string& line : verb.examples) text += roff(line) + "\n";
  text += ".EE\n" + section("EXIT STATUS");
  for (const std::string& code : verb.exit_codes) {
    const size_t letter = code.find_first_not_of("0123456789, ");
    if (letter != std::string::npos && letter > 0)
      text += ".TP\n.B " + roff(code.substr(0, letter - 1)) + "\n" +
              roff(sentence(code.substr(letter))) + "\n";
  }
  return text + see_also({program.name});
}

std::string program_page(const ProgramOutline& program) {
  std::string text = heading(program.name) + section("NAME") + program.name + " \\- " +
                     roff(program.purpose) + "\n";
  text += section("SYNOPSIS") + ".B " + program.name + "\n\\fIVERB\\fR [\\fIOPTION\\fR]...\n";
  text += section("DESCRIPTION") + roff(program.foot) + "\n" + section("VERBS");
  std::vector<std::string> pages;
  for (const VerbOutline& verb : program.verbs) {
    text += ".TP\n.B " + roff(verb.name) + "\n" + roff(sentence(verb.purpose)) + "\n";
    pages.push_back(program.name + "-" + verb.name);
  }
  text += section("OPTIONS");
  for (const OptionOutline& option : program.options) text += described(option);
  return text + see_also(pages);
}

struct ManualArguments {
  std::string verb, output;
};

void print_manual(CLI::App& app, const ManualArguments& arguments) {
  if (!arguments.output.empty() || arguments.verb == "train")
    describe_methods(*app.get_subcommand("train"));
  const ProgramOutline program = outline_of(app);
  if (!arguments.output.empty()) {
    if (!arguments.verb.empty())
      throw usage_failure("--output writes every page: leave the verb out");
    make_folders(arguments.output);
    write_text_file(arguments.output + "/" + program.name + ".1", program_page(program));
    for (const VerbOutline& verb : program.verbs) {
      write_text_file(arguments.output + "/" + program.name + "-" + verb.name + ".1",
                      verb_page(program, verb));
    }
    return;
  }
  const auto named =
      std::find_if(program.verbs.begin(), program.verbs.end(),
                   [&](const VerbOutline& verb) { return verb.name == arguments.verb; });
  if (!arguments.verb.empty() && named == program.verbs.end()) {
    throw usage_failure("'" + arguments.verb + "' is not a verb",
                        "`contrastive --help` lists the verbs");
  }
  print(arguments.verb.empty() ? program_page(program) : verb_page(program, *named));
}

}  // namespace

void add_man(CLI::App& program, Common& common) {
  static ManualArguments arguments;
  CLI::App* verb =
      add_verb(program, "man", "Print a manual page", R"(  contrastive man encode | man -l -
  contrastive man --output ~/.local/share/man/man1      # every page, for man(1))",
               common, [&program] { print_manual(program, arguments); });
  verb->add_option("verb", arguments.verb, "verb to describe; default: the program");
  verb->add_option("-o,--output", arguments.output, "folder to write every page into");
}

}  // namespace contrastive::cli
