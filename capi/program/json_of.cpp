#include "capi/program/json_of.h"

namespace contrastive::cli {

Json json_of(std::string_view text) {
  constexpr int kDeepest = 64;
  struct TooDeep {};
  const auto watch = [](int depth, Json::parse_event_t, Json&) {
    return depth <= kDeepest ? true : throw TooDeep();
  };
  try {
    return Json::parse(text.begin(), text.end(), watch, false);
  } catch (const TooDeep&) {
    return Json(Json::value_t::discarded);
  }
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace contrastive::cli
