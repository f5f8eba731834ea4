// The content of `--help` as data. Completion scripts and manual pages are generated from it, so
// they always agree with the program.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace contrastive::cli {

struct OptionOutline {
  std::vector<std::string> names;    // "-m", "--model"; for a positional only its name
  std::string value;                 // "TEXT", "INT", ...; "" for a flag
  std::vector<std::string> choices;  // the allowed values; empty if any value is allowed
  std::string range;                 // "1 to 1024", or ""
  std::string help;
  std::string environment;  // the environment variable for the option, or ""
  bool required = false;

  bool is_flag() const { return value.empty(); }
  bool is_number() const { return !is_flag() && value != "TEXT"; }
};

struct VerbOutline {
  std::string name, purpose;
  // Lines of the help's footer; one entry for each exit code.
  std::vector<std::string> examples, notes, exit_codes;
  std::vector<OptionOutline> options, positionals;
};

struct ProgramOutline {
  std::string name, purpose, foot;
  std::vector<OptionOutline> options;
  std::vector<VerbOutline> verbs;
};

ProgramOutline outline_of(const CLI::App& program);

}  // namespace contrastive::cli
