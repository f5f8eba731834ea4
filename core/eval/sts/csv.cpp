#include "core/eval/sts/csv.h"

#include "core/base/error.h"
#include "core/eval/lines.h"

namespace contrastive::eval {
namespace {

// The fields of one record, which may take several lines.
class Record {
 public:
  // False if the line ends inside quotes: the record continues on the next line.
  bool add(std::string_view line, std::string_view where) {
    if (quoted_) field_ += '\n';
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quoted_) {
        if (c != '"') field_ += c;
        else if (i + 1 < line.size() && line[i + 1] == '"') field_ += line[++i];
        else quoted_ = false, closed_ = true;
      } else if (c == ',') {
        end_field();
      } else if (c == '"' && field_.empty() && !closed_) {
        quoted_ = true;
      } else {
        check(!closed_, Status::kFormat, where, ": a closing quote is followed by '", c,
              "', not by a comma (a quote in quotes is written twice)");
        field_ += c;
      }
    }
    if (!quoted_) end_field();
    return !quoted_;
  }
  const std::vector<std::string>& fields() const { return fields_; }
  bool open() const { return quoted_; }
  void clear() { fields_.clear(); }

 private:
  void end_field() {
    fields_.push_back(std::move(field_));
    field_.clear();
    closed_ = false;
  }

  std::vector<std::string> fields_;
  std::string field_;
  bool quoted_ = false;  // inside quotes
  bool closed_ = false;  // behind the quote that closed this field
};

}  // namespace

void read_csv(const std::string& path, size_t columns,
              const std::function<void(const CsvRow&)>& row) {
  Record record;
  std::string where;
  for_each_line(path, [&](const TextLine& line) {
    if (line.text.empty() && !record.open()) return;
    if (!record.open()) where = line.where;
    if (!record.add(line.text, line.where)) return;
    check(record.fields().size() == columns, Status::kFormat, where, ": ", record.fields().size(),
          " comma separated columns, expected ", columns);
    row({where, record.fields()});
    record.clear();
  });
  check(!record.open(), Status::kFormat, where,
        ": a quote that begins in this record is never closed");
}

}  // namespace contrastive::eval
