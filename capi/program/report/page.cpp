#include "capi/program/report/page.h"

#include "capi/program/report/text.h"

namespace contrastive::cli::report {
namespace {

std::string element(const char* name, const std::string& css, const std::string& text) {
  const std::string attribute = css.empty() ? "" : " class=\"" + escaped(css) + "\"";
  return std::string("<") + name + attribute + "><bdi>" + escaped(text) + "</bdi></" + name + ">";
}

}  // namespace

std::string markup_of(const Table& table) {
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const Cell& cell : table.head) {
    out += "<th scope=\"col\"" + (cell.css.empty() ? "" : " class=\"" + escaped(cell.css) + "\"") +
           ">" + escaped(cell.text) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) {
    out += "<tr>";
    for (const Cell& cell : row) out += element("td", cell.css, cell.text);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

Page::Page(const std::string& title, const std::string& subtitle) {
  out_ = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
         "name=\"color-scheme\" content=\"light dark\">\n<title>" +
         escaped(title) + "</title>\n<style>\n" + page_style() +
         "</style>\n</head>\n<body>\n<main>\n<header>\n<h1><bdi>" + escaped(title) +
         "</bdi></h1>\n<p class=\"subtitle\">" + escaped(subtitle) + "</p>\n</header>\n";
}

void Page::section(const std::string& title, const std::string& introduction) {
  out_ += std::string(in_section_ ? "</section>\n" : "") + "<section>\n<h2>" + escaped(title) +
          "</h2>\n";
  if (!introduction.empty())
    out_ += "<p class=\"introduction\">" + escaped(introduction) + "</p>\n";
  in_section_ = true;
}

void Page::begin_figures() { out_ += "<div class=\"figures\">\n"; }

void Page::figure(const Figure& figure) {
  const bool wide = !figure.wide_picture.empty();
  out_ += std::string("<figure") + (wide ? " class=\"wide\"" : "") + ">\n<h3><bdi>" +
          escaped(figure.title) + "</bdi></h3>\n";
  if (wide) out_ += "<div class=\"picture broad\">" + figure.wide_picture + "</div>\n";
  out_ += std::string("<div class=\"picture") + (wide ? " narrow" : "") + "\">" + figure.picture +
          "</div>\n";
  if (!figure.caption.empty()) out_ += "<figcaption>" + escaped(figure.caption) + "</figcaption>\n";
  out_ += "</figure>\n";
}

void Page::end_figures() { out_ += "</div>\n"; }

void Page::note(const std::string& text) {
  out_ += "<p class=\"note\">" + escaped(text) + "</p>\n";
}

void Page::table(const Table& table, const std::string& caption) {
  out_ += markup_of(table);
  if (!caption.empty()) out_ += "<p class=\"caption\">" + escaped(caption) + "</p>\n";
}

void Page::details(const std::string& summary, const std::string& markup) {
  out_ += "<details><summary>" + escaped(summary) + "</summary>\n" + markup + "</details>\n";
}

void Page::legend(const std::vector<Run>& runs) {
  out_ += "<ul class=\"legend\">\n";
  for (const Run& run : runs) {
    out_ += "<li><span class=\"badge " + run.css + "\">" + escaped(run.letter) + "</span> <bdi>" +
            escaped(run.name) + "</bdi></li>\n";
  }
  out_ += "</ul>\n";
}

std::string Page::finish(const std::string& footer) {
  if (in_section_) out_ += "</section>\n";
  out_ += "<footer><p>" + escaped(footer) + "</p></footer>\n</main>\n</body>\n</html>\n";
  return std::move(out_);
}

}  // namespace contrastive::cli::report
