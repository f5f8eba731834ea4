// Writes one SVG picture, element by element. Colours are the page's: classes (see page_style.cpp),
// so that light, dark and print are its business.
#pragma once

#include <string>
#include <vector>

namespace contrastive::cli::report {

// A coordinate: one digit after the point, none where it is zero.
std::string coordinate(double value);

struct Attribute {
  Attribute(const char* name, const std::string& value) : name(name), value(value) {}
  Attribute(const char* name, const char* value) : name(name), value(value) {}
  Attribute(const char* name, double value) : name(name), value(coordinate(value)) {}

  const char* name;
  std::string value;  // as it is: escaped when written
};
using Attributes = std::vector<Attribute>;

// The "d" of a path.
class PathData {
 public:
  void move(double x, double y) { add('M', x, y); }
  void line(double x, double y) { add('L', x, y); }
  void dot(double x, double y) {
    add('M', x, y), data_ += "h0";
  }  // of zero length: its round caps are the dot
  void close() { data_ += 'Z'; }
  const std::string& text() const { return data_; }
  bool empty() const { return data_.empty(); }

 private:
  void add(char command, double x, double y) {
    data_ += command + coordinate(x) + " " + coordinate(y);
  }
  std::string data_;
};

class Svg {
 public:
  // `description` is what a screen reader says instead of the picture.
  Svg(double width, double height, const std::string& description);

  void element(const char* name, const Attributes& attributes, const std::string& tooltip = "");
  void open(const char* name, const Attributes& attributes);
  void close();
  void text(double x, double y, const std::string& content, const Attributes& attributes);
  std::string finish();  // the picture, whole

 private:
  void begin(const char* name, const Attributes& attributes);
  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace contrastive::cli::report
