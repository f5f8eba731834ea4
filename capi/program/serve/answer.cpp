#include "capi/program/serve/answer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>

#include "capi/program/failure.h"

namespace contrastive::cli::serve {
namespace {

const char* type_of(int status) {
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

// The refusal for an error of the library. Its status decides whether the client or the server
// caused it.
Refusal refusal_of(const Failure& failure) {
  const std::string message =
      failure.hint.empty() ? failure.message : failure.message + " (" + failure.hint + ")";
  switch (failure.exit_code) {
    case kExitUsage:
    case kExitData:
    case kExitNumeric: return {422, failure.code, message};
    case kExitMemory: return Refusal(503, failure.code, message).after(1);
    default:
      return failure.code == cs_status_name(CS_ERROR_CANCELLED)
                 ? Refusal{503, failure.code, "the server is stopping"}
                 : Refusal{500, failure.code, message};
  }
}

}  // namespace

Answer answer_of(const Refusal& refusal) {
  Json error = {{"message", refusal.message},
                {"type", type_of(refusal.status)},
                {"param", nullptr},
                {"code", refusal.code}};
  if (!refusal.param.empty()) error["param"] = refusal.param;
  Answer answer = answer_of({{"error", std::move(error)}});
  answer.status = refusal.status;
  if (refusal.retry_after > 0)
    answer.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after));
  if (!refusal.allow.empty()) answer.headers.emplace_back("Allow", refusal.allow);
  if (refusal.status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

Answer answer_of(const Json& document) {
  Answer answer;
  answer.body = document.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  return answer;
}

Answer answer_of_current_exception() {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return answer_of(refusal);
  } catch (const Failure& failure) {
    return answer_of(refusal_of(failure));
  } catch (const std::bad_alloc&) {
    return answer_of(Refusal(503, "NO_MEMORY",
                             "the server has no memory for this request now: send it again later, "
                             "or send fewer texts")
                         .after(1));
  } catch (const std::exception& problem) {
    return answer_of(Refusal(500, "INTERNAL", problem.what()));
  }
}

Refusal body_too_long(int64_t limit) {
  return {413, "body_too_large",
          "the body is longer than the " + std::to_string(limit) +
              " bytes that this server takes: send several requests"};
}

std::string http_date(std::time_t time) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm at{};
  gmtime_r(&time, &at);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[at.tm_wday],
                at.tm_mday, kMonths[at.tm_mon], at.tm_year + 1900, at.tm_hour, at.tm_min,
                at.tm_sec);
  return text.data();
}

void append_float(std::string& text, float value) {
  if (!std::isfinite(value)) {  // JSON cannot represent it
    text += "null";
    return;
  }
  char number[kFloatChars];
  text.append(number, std::to_chars(number, number + sizeof number, value).ptr);
}

void append_floats(std::string& text, const float* values, size_t count) {
  text += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    append_float(text, values[i]);
  }
  text += ']';
}

void append_base64(std::string& text, const float* values, size_t count) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes(4 * count, '\0');
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, &values[i], sizeof bits);
    for (size_t b = 0; b < 4; ++b) bytes[4 * i + b] = static_cast<char>(bits >> (8 * b) & 0xff);
  }
  text += '"';
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t b = 0; b < 3; ++b)
      three = three << 8 | (i + b < bytes.size() ? static_cast<unsigned char>(bytes[i + b]) : 0U);
    for (size_t d = 0; d < 4; ++d)
      text += i + d <= bytes.size() ? kDigits[three >> (18 - 6 * d) & 63] : '=';
  }
  text += '"';
}

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace contrastive::cli::serve
