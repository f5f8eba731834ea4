// The page that a report is: one file, nothing loaded from elsewhere, no scripts. Everything given
// to it as text is escaped here; what is named `markup` or `picture` is taken as it is.
#pragma once

#include <string>
#include <vector>

namespace contrastive::cli::report {

struct Cell {
  std::string text;
  std::string css;  // "number", "best", "changed", ...
};

struct Table {
  std::vector<Cell> head;
  std::vector<std::vector<Cell>> rows;
};
std::string markup_of(const Table& table);

struct Figure {
  std::string title, caption;
  std::string picture;       // for half a page, and for telephones
  std::string wide_picture;  // for the width of the page; "" for a figure that needs only half
};

class Page {
 public:
  Page(const std::string& title, const std::string& subtitle);

  void section(const std::string& title, const std::string& introduction = "");
  void begin_figures();
  void figure(const Figure& figure);
  void end_figures();
  void note(const std::string& text);  // what is missing, and why
  void table(const Table& table, const std::string& caption = "");
  void details(const std::string& summary, const std::string& markup);
  // The key to the runs: letter, colour class, name.
  struct Run {
    std::string letter, css, name;
  };
  void legend(const std::vector<Run>& runs);
  std::string finish(const std::string& footer);

 private:
  std::string out_;
  bool in_section_ = false;
};

// The style sheet (page_style.cpp).
const char* page_style();

}  // namespace contrastive::cli::report
