// A report as data: sections that hold notes, tables and figures, written as JSON into the page
// template (page.html), which draws them. README.md describes the JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capi/program/terminal.h"

namespace contrastive::cli::report {

struct Cell {
  std::string text;
  std::string css;  // classes of page.html: "number", "best", "changed", ...
};

struct Table {
  std::vector<Cell> head;
  std::vector<std::vector<Cell>> rows;
};

struct Figure {
  std::string title, caption;
  std::string description;  // for screen readers
  Json chart;               // see charts.h
  bool wide = false;        // takes the whole width of the page
};

// The class that gives a table cell the colour of a run.
std::string colour_class(size_t colour);

class Document {
 public:
  Document(const std::string& title, const std::string& subtitle);

  void section(const std::string& title, const std::string& introduction = "");
  void figure(const Figure& figure);
  void note(const std::string& text);  // what is missing, and why
  void table(const Table& table, const std::string& caption = "");
  void details(const std::string& summary, const Table& table);  // a table that starts folded
  // One entry of the key to the runs.
  void run(const std::string& letter, const std::string& name, size_t colour);
  void footer(const std::string& text);

  // The whole page: the template with its chart library and these data. It is one file that loads
  // nothing, and its content security policy lets no other script run.
  std::string html() const;

 private:
  void add(Json block);
  Json data_;
};

// page.html with the chart library in it (page.cpp.in).
extern const std::string_view kPageTemplate;

}  // namespace contrastive::cli::report
