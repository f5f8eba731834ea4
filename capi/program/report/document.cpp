#include "capi/program/report/document.h"

#include <cstdint>
#include <utility>

#include "core/base/sha256.h"

namespace contrastive::cli::report {
namespace {

constexpr size_t kColours = 6;  // --c0 to --c5 in page.html
constexpr std::string_view kPolicyMark = "$POLICY$", kReportMark = "$REPORT$";
constexpr std::string_view kScriptBegin = "<script>", kScriptEnd = "</script>";

Json cell_data(const Cell& cell) {
  return cell.css.empty() ? Json(cell.text) : Json{cell.text, cell.css};
}

Json row_data(const std::vector<Cell>& cells) {
  Json row = Json::array();
  for (const Cell& cell : cells) row.push_back(cell_data(cell));
  return row;
}

Json table_data(const Table& table) {
  Json rows = Json::array();
  for (const std::vector<Cell>& row : table.rows) rows.push_back(row_data(row));
  return {{"head", row_data(table.head)}, {"rows", std::move(rows)}};
}

// What a content security policy calls a script by: 'sha256-' and the digest in base64.
std::string script_source(std::string_view script) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = sha256_hex(script);
  std::string base64;
  for (size_t at = 0; at < hex.size(); at += 6) {  // 3 bytes are 4 digits
    const std::string part = hex.substr(at, 6);
    const uint32_t bits = static_cast<uint32_t>(std::stoul(part, nullptr, 16))
                          << (4 * (6 - part.size()));
    for (size_t i = 0; i < 4; ++i)
      base64 += i * 6 < part.size() * 4 ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return "'sha256-" + base64 + "'";
}

// The scripts that may run: those of the template.
std::string policy_of(std::string_view page) {
  std::string policy = "default-src 'none'; style-src 'unsafe-inline'; script-src";
  for (size_t begin = 0; (begin = page.find(kScriptBegin, begin)) != std::string_view::npos;) {
    begin += kScriptBegin.size();
    const size_t end = page.find(kScriptEnd, begin);
    policy += " " + script_source(page.substr(begin, end - begin));
    begin = end;
  }
  return policy;
}

// As JSON inside a script element, where "<" could begin a tag or a comment. What is not UTF-8
// becomes U+FFFD.
std::string embedded(const Json& data) {
  std::string out;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace))
    c == '<' ? out += "\\u003c" : out += c;
  return out;
}

}  // namespace

std::string colour_class(size_t colour) { return "c" + std::to_string(colour % kColours); }

Document::Document(const std::string& title, const std::string& subtitle)
    : data_{{"title", title},
            {"subtitle", subtitle},
            {"runs", Json::array()},
            {"sections", Json::array()},
            {"footer", ""}} {}

void Document::section(const std::string& title, const std::string& introduction) {
  data_["sections"].push_back(
      {{"title", title}, {"introduction", introduction}, {"blocks", Json::array()}});
}

void Document::add(Json block) { data_["sections"].back()["blocks"].push_back(std::move(block)); }

void Document::figure(const Figure& figure) {
  add({{"kind", "figure"},
       {"title", figure.title},
       {"caption", figure.caption},
       {"description", figure.description},
       {"wide", figure.wide},
       {"chart", figure.chart}});
}

void Document::note(const std::string& text) { add({{"kind", "note"}, {"text", text}}); }

void Document::table(const Table& table, const std::string& caption) {
  add({{"kind", "table"}, {"table", table_data(table)}, {"caption", caption}});
}

void Document::details(const std::string& summary, const Table& table) {
  add({{"kind", "details"}, {"summary", summary}, {"table", table_data(table)}});
}

void Document::run(const std::string& letter, const std::string& name, size_t colour) {
  data_["runs"].push_back({{"letter", letter}, {"name", name}, {"colour", colour}});
}

void Document::footer(const std::string& text) { data_["footer"] = text; }

std::string Document::html() const {
  const size_t policy = kPageTemplate.find(kPolicyMark), report = kPageTemplate.find(kReportMark);
  const size_t after_policy = policy + kPolicyMark.size();
  std::string out(kPageTemplate.substr(0, policy));
  out += policy_of(kPageTemplate);
  out += kPageTemplate.substr(after_policy, report - after_policy);
  out += embedded(data_);
  out += kPageTemplate.substr(report + kReportMark.size());
  return out;
}

}  // namespace contrastive::cli::report
