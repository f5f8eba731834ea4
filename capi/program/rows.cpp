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
#include "core/text/utf8.h"

namespace contrastive::cli {
namespace {

constexpr size_t kReadBytes = size_t{1} << 18;
constexpr int kMaxDepth = 64;
constexpr int64_t kEnoughToJudge = int64_t{1} << 16;  // bytes that show whether a file is text

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

// Blank lines before the first other line do not show the form. They are rows of plain text only.
void RowReader::settle_by_first_line() {
  std::string line;
  while (split_line(line)) {
    if (!line.empty()) {
      first_line_ = std::move(line);
      break;
    }
    ++leading_blanks_;
  }
  settle(text_form_of_line(first_line_.value_or("")));
}

double RowReader::fraction() const {
  const auto given_out = static_cast<double>(bytes_read_) - static_cast<double>(lines_.waiting());
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

void RowReader::fill() {
  const auto damaged = [&](const char* how) {
    return Failure(kExitData, "CORRUPT", how).at(path_);
  };
  while (true) {
    if (gunzip_ != nullptr) {
      try {
        const std::string_view unpacked = gunzip_->next();
        if (!unpacked.empty()) return lines_.feed(unpacked);
      } catch (const contrastive::Error&) {
        throw damaged("the gzip file is damaged");
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
      try {
        if (gunzip_ != nullptr) gunzip_->finish();
      } catch (const contrastive::Error&) {
        throw damaged("the gzip file is cut: its end is missing");
      }
      ended_ = true;
      return lines_.end();
    }
    if (first && data::is_gzip(block)) gunzip_ = std::make_unique<data::Gunzip>(path_);
    if (gunzip_ == nullptr) return lines_.feed(block);
    gunzip_->feed(block);
  }
}

void RowReader::warn_of_non_text(bool ended) {
  if (warned_ || non_text_ * 100 <= text_bytes_ || (!ended && text_bytes_ < kEnoughToJudge)) return;
  warned_ = true;
  print_warning(
      (path_ == "-" ? "standard input" : "'" + path_ + "'") + ": " +
      fixed(100.0 * static_cast<double>(non_text_) / static_cast<double>(text_bytes_), 1) +
      " % of " + (ended ? "its" : "its first") + " " + with_commas(text_bytes_) +
      " bytes are not text (control characters, malformed UTF-8): is it the right file, in UTF-8?");
}

bool RowReader::split_line(std::string& line) {
  data::Line next;
  while (!lines_.next(next)) {
    if (ended_) {
      warn_of_non_text(true);
      return false;
    }
    fill();
  }
  if (next.too_long)
    throw Failure(kExitData, "LIMIT", "the line is longer than 16 MB").at(path_, next.number);
  line = next.text;
  text_bytes_ += static_cast<int64_t>(line.size()) + 1;
  non_text_ += text::count_non_text(line);
  warn_of_non_text(false);
  return true;
}

bool RowReader::read_line(std::string& line) {
  if (leading_blanks_ > 0) {
    --leading_blanks_;
    line.clear();
  } else if (first_line_) {
    line = std::move(*first_line_);
    first_line_.reset();
  } else if (!split_line(line)) {
    return false;
  }
  ++line_;
  return true;
}

bool RowReader::next(std::vector<std::string>& texts) {
  if (!form_) settle_by_first_line();
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
