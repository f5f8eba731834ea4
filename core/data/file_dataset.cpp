// A dataset that stays in its file. One pass checks every line and records the positions of the
// good ones; get() reads a single line.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/text_form.h"
#include "core/data/dataset.h"
#include "core/data/example_hash.h"
#include "core/data/line_reader.h"
#include "core/data/record_parser.h"
#include "core/text/utf8.h"

namespace contrastive::data {
namespace {

class FileDataset : public Dataset {
 public:
  FileDataset(const std::string& path, const DataOptions& options)
      : options_(options), reader_(path) {
    // A position is packed into 64 bits: 40 for the offset, 24 for the length.
    check(reader_.bytes() < (int64_t{1} << 40), Status::kLimit, path, ": above the limit of 1 TB");
    reader_.scan([&](const Line& line) { index(line); });
    reader_.check_length();
    check(!places_.empty(), Status::kFormat, path, ": no examples (", report_.lines, " lines, ",
          report_.empty, " empty, ", report_.malformed, " malformed, ", report_.elsewhere,
          " left out by data.where", shown_conditions(), ", ", report_.filtered,
          " by data.min_label or data.max_label)");
    if (report_.elsewhere > 0)
      log_info(path, ": ", places_.size(), " examples; ", report_.elsewhere,
               " lines left out by data.where", shown_conditions());
    if (report_.empty + report_.malformed + report_.invalid_utf8 > 0) {
      log_warning(path, ": ", report_.empty, " lines with an empty text, ", report_.malformed,
                  " malformed lines left out, ", report_.invalid_utf8, " lines with invalid UTF-8");
    }
    if (non_text_ * 100 > reader_.bytes()) {
      log_warning(
          path, ": ", static_cast<double>(1000 * non_text_ / reader_.bytes()) / 10, " % of its ",
          reader_.bytes(),
          " bytes are not text (control characters, malformed UTF-8): is it the right file, "
          "in UTF-8?");
    }
  }

  int64_t size() const override { return static_cast<int64_t>(places_.size()); }

  Example get(int64_t index) const override {
    check(index >= 0 && index < size(), Status::kArgument, "example ", index, " of a dataset of ",
          size());
    const uint64_t place = places_[static_cast<size_t>(index)];
    const int64_t begin = static_cast<int64_t>(place >> 24),
                  length = static_cast<int64_t>(place & 0xffffff);
    const std::string line = reader_.read(begin, length);
    try {
      std::optional<Example> example = parser_->parse(line, reader_.path());
      check(example.has_value(), Status::kFormat, "data.where leaves it out");
      return std::move(*example);
    } catch (const Error& error) {
      // The line could be parsed when the file was opened.
      fail(Status::kCorrupt, reader_.path(), ": the line at byte ", begin,
           " changed since the file was opened: ", error.message());
    }
  }

  std::string where(int64_t index) const override {
    const auto begin = static_cast<int64_t>(places_.at(static_cast<size_t>(index)) >> 24);
    constexpr int64_t kBlock = int64_t{1} << 20;
    int64_t line = 1;
    for (int64_t at = 0; at < begin; at += kBlock) {
      const std::string block = reader_.read(at, std::min(kBlock, begin - at));
      line += std::count(block.begin(), block.end(), '\n');
    }
    return cat(reader_.path(), ":", line);
  }
  void add(Example) override {
    fail(Status::kState, reader_.path(),
         ": a dataset that was opened from a file takes no further examples");
  }
  std::string fingerprint() const override {
    return cat(places_.size(), "-", hash_text(examples_.value()));
  }
  void check_unchanged() const override { reader_.check_length(); }
  const DatasetReport& report() const override { return report_; }
  std::string path() const override { return reader_.path(); }

 private:
  std::string shown_conditions() const {
    std::string shown;
    for (const std::string& entry : options_.where) shown += (shown.empty() ? " (" : ", ") + entry;
    return shown.empty() ? "" : shown + ")";
  }

  void index(const Line& line) {
    ++report_.lines;
    if (line.text.empty() && !line.too_long && options_.empty != EmptyPolicy::kError) {
      if (take_blank(line)) places_.push_back(static_cast<uint64_t>(line.begin) << 24);
      return;
    }
    non_text_ += text::count_non_text(line.text);
    const std::string where = cat(reader_.path(), ":", line.number);
    bool readable = false;
    try {
      check_bytes(line, where);
      readable = true;
      if (consider(line, where))
        places_.push_back(static_cast<uint64_t>(line.begin) << 24 | line.text.size());
    } catch (const Error& error) {
      const bool content = error.status() == Status::kFormat || error.status() == Status::kLimit;
      // If the columns of the first line are wrong, every other line would fail in the same way.
      const bool columns = readable && parser_ == nullptr && report_.elsewhere == 0;
      if (options_.on_error == ErrorPolicy::kStop || !content || columns) throw;
      if (++report_.malformed <= 3) log_warning("left out: ", error.message());
    }
  }

  // Throws if the line is not text, whatever its columns.
  void check_bytes(const Line& line, const std::string& where) {
    check(!line.too_long, Status::kLimit, where, ": a line above the limit of 16 MB");
    check(line.text.find('\0') == std::string_view::npos, Status::kFormat, where,
          ": a NUL character; is this a text file?");
    if (text::valid_utf8_prefix(line.text) != line.text.size()) {
      check(options_.invalid_utf8 != Utf8Policy::kError, Status::kFormat, where,
            ": not valid UTF-8 (data.invalid_utf8 = replace reads bad bytes as U+FFFD)");
      ++report_.invalid_utf8;
    }
  }

  // Whether the line is an example. Throws if it is malformed.
  bool consider(const Line& line, const std::string& where) {
    check(!line.text.empty(), Status::kFormat, where,
          ": an empty line (data.empty = skip leaves such lines out)");
    if (parser_ == nullptr) {
      parser_ = make_record_parser(options_, reader_.path(), line.text, where);
      if (parser_ == nullptr) return is_elsewhere();
      keep_leading();
      if (parser_->has_header()) return false;
      if (parser_->first_looks_like_header()) {
        log_warning(where,
                    ": the first line looks like a header and is read as an example; data.header = "
                    "true skips it",
                    parser_->takes_empty_lines() ? ", with data.format = tsv" : "");
      }
      if (parser_->takes_empty_lines() && options_.format == FileFormat::kAuto &&
          text_form_of_line(line.text) != TextForm::kText) {
        log_warning(where, ": read as plain text, as the file's name says, but this line has "
                           "columns or is JSON; data.format names another form");
      }
    }
    const std::optional<Example> example = parser_->parse(line.text, where);
    if (!example) return is_elsewhere();
    if (example->a.empty() || (example->has_b && example->b.empty())) {
      check(options_.empty != EmptyPolicy::kError, Status::kFormat, where,
            ": an empty text (data.empty = skip leaves such lines out)");
      ++report_.empty;
      if (options_.empty == EmptyPolicy::kSkip) return false;
      ++report_.empty_kept;  // if its label filters it out, it is counted here too
    }
    // Written so that a missing label, which is NaN, is filtered out too.
    const bool wanted = !options_.filters_by_label() || (example->label >= options_.min_label &&
                                                         example->label <= options_.max_label);
    if (wanted) add_example(examples_, *example);
    else ++report_.filtered;
    return wanted;
  }

  // Whether an empty line is an example. A file may have millions of them.
  bool take_blank(const Line& line) {
    ++report_.empty;
    if (options_.empty != EmptyPolicy::kKeep) return false;
    if (parser_ == nullptr) leading_.push_back(line.begin);
    const bool kept = parser_ != nullptr && parser_->takes_empty_lines();
    report_.empty_kept += kept ? 1 : 0;
    if (kept) add_example(examples_, {});
    return kept;
  }

  // Keeps the empty lines before the first line that shows the format.
  void keep_leading() {
    if (options_.empty == EmptyPolicy::kKeep && parser_->takes_empty_lines()) {
      for (const int64_t begin : leading_) {
        places_.push_back(static_cast<uint64_t>(begin) << 24);
        add_example(examples_, {});
      }
      report_.empty_kept += static_cast<int64_t>(leading_.size());
    }
    leading_ = {};
  }

  bool is_elsewhere() {
    ++report_.elsewhere;
    return false;
  }

  DataOptions options_;
  LineReader reader_;
  int64_t non_text_ = 0;
  std::unique_ptr<RecordParser> parser_;
  std::vector<uint64_t> places_;
  std::vector<int64_t> leading_;
  ContentHash examples_;  // of the examples as they are read, which depends on columns, label names
                          // and filters besides the bytes
  DatasetReport report_;
};

}  // namespace

std::shared_ptr<Dataset> open_dataset(const std::string& path, const Config& config) {
  return std::make_shared<FileDataset>(path, read_data_options(config));
}

}  // namespace contrastive::data
