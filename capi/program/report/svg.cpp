#include "capi/program/report/svg.h"

#include <charconv>
#include <cmath>

#include "capi/program/report/text.h"

namespace contrastive::cli::report {

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  const double rounded = std::round(value * 10) / 10;
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, rounded == 0 ? 0.0 : rounded,
                                 std::chars_format::fixed, 1)
                       .ptr;
  std::string text(buffer, end);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text;
}

Svg::Svg(double width, double height, const std::string& description) {
  open("svg", {{"viewBox", "0 0 " + coordinate(width) + " " + coordinate(height)},
               {"role", "img"},
               {"aria-label", description}});
}

void Svg::begin(const char* name, const Attributes& attributes) {
  out_ += '<';
  out_ += name;
  for (const Attribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.name;
    out_ += "=\"" + escaped(attribute.value) + '"';
  }
}

void Svg::element(const char* name, const Attributes& attributes, const std::string& tooltip) {
  begin(name, attributes);
  out_ += tooltip.empty() ? "/>" : "><title>" + escaped(tooltip) + "</title></" + name + ">";
}

void Svg::open(const char* name, const Attributes& attributes) {
  begin(name, attributes);
  out_ += '>';
  open_.emplace_back(name);
}

void Svg::close() {
  out_ += "</" + open_.back() + ">";
  open_.pop_back();
}

void Svg::text(double x, double y, const std::string& content, const Attributes& attributes) {
  Attributes all = {{"x", x}, {"y", y}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  begin("text", all);
  out_ += '>' + escaped(content) + "</text>";
}

std::string Svg::finish() {
  while (!open_.empty()) close();
  return std::move(out_);
}

}  // namespace contrastive::cli::report
