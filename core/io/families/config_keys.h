// The keys of config.json that a family names, one after the other: read into an Architecture, or
// written from one. A family lists them once for both.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/encoder/architecture.h"

namespace contrastive::io {

// transformers' name of an activation, the value of `key`. kUnsupported for one that is not
// computed here.
encoder::Activation activation_named(const std::string& key, const std::string& name,
                                     const std::string& source);

class ConfigKeys {
 public:
  // Reads. A fallback that is taken is noted; kFormat, kLimit and kUnsupported name the key.
  ConfigKeys(const JsonObject& json, std::vector<std::string>& notes)
      : json_(&json), notes_(&notes) {}
  // Writes.
  explicit ConfigKeys(Json& config) : config_(&config) {}

  // Several names are spellings of one key: the first that is there is read, and written; where
  // none is, the first is written.
  using Names = std::initializer_list<const char*>;
  static constexpr int64_t kMustBeThere = -1;

  // A count of at least 1; kLimit above `most`.
  void size(Names names, int64_t& value, int64_t most, int64_t fallback = kMustBeThere);
  void integer(Names names, int64_t& value, int64_t low, int64_t high, int64_t fallback);
  void real(Names names, double& value, double low, double high, double fallback);
  void activation(Names names, encoder::Activation& value, const char* fallback);
  // Not noted, and written only where it says something else than its absence.
  void flag(Names names, bool& value, bool fallback);

  bool reads() const { return json_ != nullptr; }
  // Of a reader: for keys that shape the network and are kept in the file as they are.
  const JsonObject& json() const { return *json_; }
  // kUnsupported "<source>: <key> is <value>; only <fallback> is read" where a reader finds another
  // value.
  void only(const char* key, bool fallback) const;
  void only(const char* key, int64_t fallback) const;
  void only(const char* key, const std::string& fallback) const;
  // The value of a key that turns a family's extension on: it must be absent or null.
  void absent(const char* key) const;
  // rope_theta, rope_parameters.rope_theta or rope_parameters.<layers>.rope_theta; kUnsupported for
  // a rope_type that scales.
  double rotary_base(const char* key, const char* layers, double fallback);
  // A writer's: what must stand in the file.
  void set(const char* key, const Json& value);

  void note(const std::string& sentence);
  // Of a reader, at its end: one note of all fallbacks.
  void finish();

 private:
  std::string present(Names names) const;
  std::string noted(Names names);

  const JsonObject* json_ = nullptr;
  std::vector<std::string>* notes_ = nullptr;
  Json* config_ = nullptr;
  std::string defaulted_;
};

// Above these a config is a mistake or an attack: ten times the largest encoder known, and small
// enough that no product of two overflows.
constexpr int64_t kMaxLayers = 1'000;
constexpr int64_t kMaxWidth = 1 << 17;
constexpr int64_t kMaxRows = 1 << 24;
constexpr int64_t kMaxText = 1 << 20;  // tokens

}  // namespace contrastive::io
