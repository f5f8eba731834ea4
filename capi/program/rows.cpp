#include "capi/program/rows.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/settings.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"
#include "core/base/sha256.h"

namespace contrastive::cli {
namespace {

constexpr size_t kMaxLineBytes = size_t{16} << 20;
constexpr size_t kReadBytes = size_t{1} << 18;
constexpr int kMaxDepth = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::optional<TextForm> form_of(const std::string& path, const std::string& format) {
  if (format == "txt") return TextForm::kText;
  if (format == "tsv") return TextForm::kTsv;
  if (format == "jsonl") return TextForm::kJsonl;
  return told([&] { return text_form_of_name(path, "--format"); });
}

// The number in `text`, or -1.
int64_t number_in(const std::string& text) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && number >= 0 &&
                 number <= 1000000
             ? number
             : -1;
}

int64_t column_from_one(const std::string& text) {
  const int64_t number = number_in(text);
  if (number < 1)
    throw usage_failure("--input-column '" + text + "': a TSV column is a number, from 1",
                        "--column takes names, and numbers from 0");
  return number - 1;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t tab = std::min(line.find('\t', begin), line.size());
    fields.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  return fields;
}

Failure bad_row(const std::string& message) { return {kExitData, "FORMAT", message}; }

}  // namespace

void ColumnArguments::add_to(CLI::App* verb, const std::string& help, int count) {
  CLI::Option* column =
      verb->add_option("--column", columns,
                       help + ": numbers from 0 or names in the first line (tsv), fields (jsonl)");
  CLI::Option* old = verb->add_option(
      "--input-column", old_columns,
      "the old form of --column, with numbers from 1 (tsv); a later version removes it");
  column->allow_extra_args(false)->expected(count)->envname(environment_name("column"));
  old->allow_extra_args(false)
      ->expected(count)
      ->envname(environment_name("input-column"))
      ->excludes(column);
}

void ColumnArguments::apply(RowOptions& options) const {
  if (!columns.empty()) {
    options.columns = columns;
    options.columns_from_one = false;
  }
  if (old_columns.empty()) return;
  print_warning("--input-column counts TSV columns from 1 and is deprecated: use --column, which "
                "counts from 0 and takes names");
  options.columns = old_columns;
  options.columns_from_one = true;
}

RowReader::RowReader(const std::string& path, const RowOptions& options)
    : path_(path), options_(options) {
  if (const std::optional<TextForm> form = form_of(path, options.format)) settle(*form);
  if (path == "-") return;
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) throw system_failure("read", path, errno);
  if (S_ISDIR(info.st_mode)) throw usage_failure("'" + path + "' is a folder: a file is needed");
  bytes_ = S_ISREG(info.st_mode) ? info.st_size : 0;
  const InputWait wait;  // a FIFO waits for its writer
  descriptor_ = open_texts(path).release();
}

void RowReader::settle(TextForm form) {
  form_ = form;
  const std::string first = options_.columns_from_one ? "1" : "0";
  if (options_.columns.empty()) options_.columns = {form == TextForm::kJsonl ? "text" : first};
  if (!options_.id_column.empty()) options_.columns.push_back(options_.id_column);
  if (form == TextForm::kText && (options_.columns.size() > 1 || options_.columns[0] != first)) {
    throw usage_failure("'" + path_ + "' is plain text, one text a line: it has no columns",
                        "name its format with --format tsv or --format jsonl");
  }
  if (form != TextForm::kTsv) return;
  for (const std::string& column : options_.columns) {
    const int64_t number = options_.columns_from_one ? column_from_one(column) : number_in(column);
    named_ = named_ || number < 0;
    numbers_.push_back(static_cast<size_t>(std::max<int64_t>(number, 0)));
  }
}

std::string RowReader::first_line() {
  size_t begin = 0, end = 0;
  do {
    begin = std::min(buffer_.find_first_not_of("\r\n", begin), buffer_.size());
    end = buffer_.find('\n', begin);
  } while (end == std::string::npos && buffer_.size() <= kMaxLineBytes && fill());
  std::string line = buffer_.substr(begin, end == std::string::npos ? end : end - begin);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.rfind(kByteOrderMark, 0) == 0) line.erase(0, kByteOrderMark.size());
  return line;
}

double RowReader::fraction() const {
  const auto given_out =
      static_cast<double>(bytes_read_) - static_cast<double>(buffer_.size() - next_);
  return bytes_ > 0 ? given_out / static_cast<double>(bytes_) : -1;
}

RowReader::~RowReader() {
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

size_t RowReader::read_bytes(char* into, size_t most) {
  ssize_t got = 0;
  const InputWait wait;
  do {
    got = read(descriptor_, into, most);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw system_failure("read", path_, errno);
  bytes_read_ += got;
  if (digest_ != nullptr) digest_->update({into, static_cast<size_t>(got)});
  return static_cast<size_t>(got);
}

bool RowReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, next_);
  next_ = 0;
  while (true) {
    if (gunzip_ != nullptr) {
      try {
        if (gunzip_->next(buffer_, kReadBytes)) return true;
      } catch (Failure& failure) {
        throw failure.at(path_);
      }
    }
    const bool first = bytes_read_ == 0;
    std::string block(kReadBytes, '\0');
    size_t got = read_bytes(block.data(), kReadBytes);
    // A pipe may return a single byte, and detecting gzip takes two.
    while (first && got == 1 && block[0] == '\x1f') {
      const size_t more = read_bytes(&block[1], kReadBytes - 1);
      if (more == 0) break;
      got += more;
    }
    block.resize(got);
    if (got == 0) {
      ended_ = true;
      try {
        if (gunzip_ != nullptr) gunzip_->finish();
      } catch (Failure& failure) {
        throw failure.at(path_);
      }
      return false;
    }
    if (first && Gunzip::begins(block)) gunzip_ = std::make_unique<Gunzip>();
    if (gunzip_ == nullptr) {
      buffer_ += block;
      return true;
    }
    gunzip_->feed(block);
  }
}

bool RowReader::read_line(std::string& line) {
  if (form_ != TextForm::kText) {  // a blank line is not a row
    for (; next_ < buffer_.size() && buffer_[next_] == '\n'; ++next_) ++line_;
  }
  size_t newline = buffer_.find('\n', next_);
  while (newline == std::string::npos) {
    const size_t searched = buffer_.size() - next_;
    if (searched > kMaxLineBytes)
      throw Failure(kExitData, "LIMIT", "the line is longer than 16 MB").at(path_, line_ + 1);
    if (!fill()) break;
    newline = buffer_.find('\n', searched);
  }
  if (newline == std::string::npos && next_ == buffer_.size()) {
    non_text_.warn(path_, true);
    return false;
  }
  const size_t end = std::min(newline, buffer_.size());
  line.assign(buffer_, next_, end - next_);
  next_ = newline == std::string::npos ? end : end + 1;
  ++line_;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line_ == 1 && line.rfind(kByteOrderMark, 0) == 0) line.erase(0, kByteOrderMark.size());
  non_text_.add(line);
  non_text_.warn(path_, false);
  return true;
}

bool RowReader::next(std::vector<std::string>& texts) {
  if (!form_) settle(text_form_of_line(first_line()));
  std::string line;
  while (read_line(line)) {
    if (line.empty() && *form_ != TextForm::kText) continue;
    if (!line.empty() && !std::exchange(begun_, true) && is_header(line)) continue;
    try {
      take_texts(line, texts);
      return true;
    } catch (Failure& failure) {
      if (!options_.skip_bad_rows) throw failure.at(path_, line_);
      ++skipped_;
    }
  }
  return false;
}

void RowReader::take_texts(const std::string& line, std::vector<std::string>& texts) const {
  texts.resize(options_.columns.size());
  if (*form_ == TextForm::kTsv) {
    take_fields(line, texts);
  } else if (*form_ == TextForm::kJsonl) {
    take_json(line, texts);
  } else {
    texts[0] = line;
  }
}

bool RowReader::is_header(const std::string& line) {
  if (!named_) {
    if (*form_ == TextForm::kJsonl || !looks_like_titles(line)) return false;
    print_warning("'" + path_ + "': the first line looks like a header and is read as a row; " +
                  (*form_ == TextForm::kTsv ? "" : "--format tsv and ") +
                  "--column with the name of a column skips it");
    return false;
  }
  const std::vector<std::string> titles = fields_of(line);
  for (size_t i = 0; i < numbers_.size(); ++i) {
    const std::string& column = options_.columns[i];
    if (number_in(column) >= 0) continue;
    const auto title = std::find(titles.begin(), titles.end(), column);
    if (title == titles.end()) {
      std::string known;
      for (const std::string& other : titles) known += (known.empty() ? "" : ", ") + other;
      throw Failure(kExitUsage, "USAGE",
                    "--column '" + column + "': the first line names no such column (" +
                        known.substr(0, 200) + ")",
                    "without names, columns are numbers from 0")
          .at(path_, line_);
    }
    numbers_[i] = static_cast<size_t>(title - titles.begin());
  }
  return true;
}

void RowReader::take_fields(const std::string& line, std::vector<std::string>& texts) const {
  std::vector<std::string> fields = fields_of(line);
  for (size_t i = 0; i < numbers_.size(); ++i) {
    if (numbers_[i] >= fields.size()) {
      throw bad_row("column " + options_.columns[i] + " is missing: the line has " +
                    std::to_string(fields.size()));
    }
    texts[i] = fields[numbers_[i]];
  }
}

void RowReader::take_json(const std::string& line, std::vector<std::string>& texts) const {
  const auto limit_depth = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > kMaxDepth)
      throw bad_row("the JSON is nested deeper than " + std::to_string(kMaxDepth) + " levels");
    return true;
  };
  nlohmann::json row;
  try {
    row = nlohmann::json::parse(line, limit_depth);
  } catch (const nlohmann::json::exception&) {
    throw bad_row("the line is not JSON");
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& name = options_.columns[i];
    const bool whole = row.is_string() && texts.size() == 1;  // the line may be only a string
    if (!whole && (!row.is_object() || row.find(name) == row.end()))
      throw bad_row("field '" + name + "' is missing");
    const nlohmann::json& value = whole ? row : row[name];
    if (!options_.id_column.empty() && i + 1 == texts.size() && value.is_number_integer()) {
      texts[i] = value.dump();
      continue;
    }
    if (!value.is_string()) throw bad_row("field '" + name + "' is not a string");
    texts[i] = value.get<std::string>();
  }
}

}  // namespace contrastive::cli
