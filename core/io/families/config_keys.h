// Reads the keys of config.json into an Architecture, or writes them from one. A family lists its
// keys once for both.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/encoder/architecture.h"

namespace contrastive::io {

// The activation that transformers calls `name`, the value of `key`. Throws kUnsupported if it is
// not implemented.
encoder::Activation activation_named(const std::string& key, const std::string& name,
                                     const std::string& source);

class ConfigKeys {
 public:
  // For reading. A fallback that is used is noted. kFormat, kLimit and kUnsupported name the key.
  ConfigKeys(const JsonObject& json, std::vector<std::string>& notes)
      : json_(&json), notes_(&notes) {}
  // For writing.
  explicit ConfigKeys(Json& config) : config_(&config) {}

  // Several names are spellings of one key. The first one present is read, and written; if none is
  // present, the first is written.
  using Names = std::initializer_list<const char*>;
  static constexpr int64_t kMustBeThere = -1;

  // A count of at least 1. Throws kLimit above `most`.
  void size(Names names, int64_t& value, int64_t most, int64_t fallback = kMustBeThere);
  void integer(Names names, int64_t& value, int64_t low, int64_t high, int64_t fallback);
  void real(Names names, double& value, double low, double high, double fallback);
  void activation(Names names, encoder::Activation& value, const char* fallback);
  // Not noted, and written only if it differs from the fallback.
  void flag(Names names, bool& value, bool fallback);

  bool reads() const { return json_ != nullptr; }
  // For reading keys that affect the network and are kept in the file unchanged.
  const JsonObject& json() const { return *json_; }
  // Reading throws kUnsupported "<source>: <key> is <value>; only <fallback> is read" for any other
  // value.
  void only(const char* key, bool fallback) const;
  void only(const char* key, int64_t fallback) const;
  void only(const char* key, const std::string& fallback) const;
  // A key that would turn on an extension of the family: it must be absent or null.
  void absent(const char* key) const;
  // rope_theta, rope_parameters.rope_theta or rope_parameters.<layers>.rope_theta. Throws
  // kUnsupported for a rope_type that scales.
  double rotary_base(const char* key, const char* layers, double fallback);
  // For writing: a value that the file must have.
  void set(const char* key, const Json& value);

  void note(const std::string& sentence);
  // Ends reading: adds one note about all fallbacks.
  void finish();

 private:
  std::string present(Names names) const;
  std::string noted(Names names);

  const JsonObject* json_ = nullptr;
  std::vector<std::string>* notes_ = nullptr;
  Json* config_ = nullptr;
  std::string defaulted_;
};

// A config with values above these is a mistake or an attack: ten times the largest known encoder,
// and small enough that no product of two overflows.
constexpr int64_t kMaxLayers = 1'000;
constexpr int64_t kMaxWidth = 1 << 17;
constexpr int64_t kMaxRows = 1 << 24;
constexpr int64_t kMaxText = 1 << 20;  // tokens

}  // namespace contrastive::io
