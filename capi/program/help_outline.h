// What `--help` says, as data: completion scripts and manual pages are made from it, so that they
// tell what the program really takes.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace contrastive::cli {

struct OptionOutline {
  std::vector<std::string> names;    // "-m", "--model"; of a positional its name alone
  std::string value;                 // "TEXT", "INT", ...; "" for a flag
  std::vector<std::string> choices;  // the only values there are; empty where any will do
  std::string range;                 // "1 to 1024", or ""
  std::string help;
  std::string environment;  // the variable that it can come from, or ""
  bool required = false;

  bool is_flag() const { return value.empty(); }
  bool is_number() const { return !is_flag() && value != "TEXT"; }
};

struct VerbOutline {
  std::string name, purpose;
  std::vector<std::string> examples, notes,
      exit_codes;  // lines of the help's foot; exit codes one by one
  std::vector<OptionOutline> options, positionals;
};

struct ProgramOutline {
  std::string name, purpose, foot;
  std::vector<OptionOutline> options;
  std::vector<VerbOutline> verbs;
};

ProgramOutline outline_of(const CLI::App& program);

}  // namespace contrastive::cli
