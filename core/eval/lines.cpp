#include "core/eval/lines.h"

#include <charconv>

#include "core/base/error.h"
#include "core/data/line_reader.h"

namespace contrastive::eval {

void for_each_line(const std::string& path, const std::function<void(const TextLine&)>& use) {
  data::LineReader reader(path);
  std::string where = path + ":";  // reused: a file may have millions of empty lines
  reader.scan([&](const data::Line& line) {
    char digits[20];
    where.resize(path.size() + 1);
    where.append(digits, std::to_chars(digits, digits + sizeof digits, line.number).ptr);
    check(!line.too_long, Status::kLimit, where, ": the line is longer than ", data::kMaxLineBytes,
          " bytes");
    use({line.text, where});
  });
}

}  // namespace contrastive::eval
