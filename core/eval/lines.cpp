#include "core/eval/lines.h"

#include "core/base/error.h"
#include "core/data/line_reader.h"

namespace contrastive::eval {

void for_each_line(const std::string& path, const std::function<void(const TextLine&)>& use) {
  data::LineReader reader(path);
  std::string where;
  reader.scan([&](const data::Line& line) {
    where.assign(path).append(":").append(std::to_string(line.number));
    check(!line.too_long, Status::kLimit, where, ": the line is longer than ", data::kMaxLineBytes, " bytes");
    use({line.text, where});
  });
}

}  // namespace contrastive::eval
