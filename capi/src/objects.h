// The objects behind the handles of errors, configs and cancel flags, which need only core/base.
// model_objects.h has the others.
#pragma once

#include <atomic>
#include <string>

#include "capi/src/handles.h"
#include "core/base/cancel.h"
#include "core/base/config.h"

namespace contrastive::capi {

struct ErrorObject {
  Status status;
  std::string message;
};

struct ConfigObject {
  Config config;
  std::atomic<bool> busy{false};
};

struct CancelObject {
  Cancel cancel;
};

template <>
struct Traits<cs_error> {
  using Object = ErrorObject;
  static constexpr Type kType = Type::kError;
  static constexpr const char* kName = "error";
};
template <>
struct Traits<cs_config> {
  using Object = ConfigObject;
  static constexpr Type kType = Type::kConfig;
  static constexpr const char* kName = "config";
};
template <>
struct Traits<cs_cancel> {
  using Object = CancelObject;
  static constexpr Type kType = Type::kCancel;
  static constexpr const char* kName = "cancel flag";
};

// The entries of an optional config parameter; empty if it is NULL.
inline Config config_or_empty(const cs_config* config) {
  if (config == nullptr) return {};
  const auto object = need(config, "config");
  const Exclusive use(object->busy, "config");
  return object->config;
}

// The flag of an optional cancel parameter, or nullptr if it is NULL. The result keeps the flag
// alive.
inline std::shared_ptr<const Cancel> cancel_or_none(const cs_cancel* cancel) {
  if (cancel == nullptr) return nullptr;
  auto object = need(cancel, "cancel");
  return {object, &object->cancel};
}

}  // namespace contrastive::capi
