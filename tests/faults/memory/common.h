// Helpers of the scenarios: models, texts and pairs, and calls that must succeed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/faults/memory/scenario.h"

namespace contrastive::faults {

inline const std::string kModels = std::string(CONTRASTIVE_FIXTURES) + "/models/";

// A call without a fault, which must succeed. `error` is a reference, because it is read after the
// call has set it.
template <class Handle>
Handle* need(Handle* handle, cs_error* const& error, const char* what) {
  if (handle != nullptr) return handle;
  throw Broken(std::string(what) + ": " + cs_status_name(cs_error_status(error)) + ": " +
               cs_error_message(error));
}
inline void need_ok(cs_status status, cs_error* const& error, const char* what) {
  if (status >= 0) return;
  throw Broken(std::string(what) + ": " + cs_status_name(status) + ": " +
               (error == nullptr ? "" : cs_error_message(error)));
}

inline cs_model* load(const std::string& path) {
  cs_error* error = nullptr;
  return need(cs_model_load(path.c_str(), nullptr, &error), error, ("loading " + path).c_str());
}

inline const std::vector<const char*> kTexts = {
    "the cat sat on the mat", "a dog runs", "",
    "two birds fly over the very old house and back again"};

inline cs_status encode_into(cs_model* model, std::vector<float>& vectors, cs_error** error) {
  return cs_encode(model, kTexts.data(), nullptr, static_cast<int64_t>(kTexts.size()), nullptr,
                   vectors.data(), static_cast<int64_t>(vectors.size()), error);
}

inline std::vector<float> encode(cs_model* model) {
  cs_error* error = nullptr;
  std::vector<float> vectors(kTexts.size() * static_cast<size_t>(cs_model_dimension(model)));
  need_ok(encode_into(model, vectors, &error), error, "encoding");
  return vectors;
}

inline std::vector<float> encode_folder(const std::string& path) {
  cs_model* const model = load(path);
  std::vector<float> vectors = encode(model);
  cs_model_free(model);
  return vectors;
}

constexpr const char* kPairs[8][2] = {
    {"the cat sat", "a cat sits"},         {"a dog runs", "the dog ran"},
    {"two birds fly", "birds in the air"}, {"the old house", "a very old house"},
    {"red and blue", "blue and red"},      {"one man walks", "a man is walking"},
    {"she eats fish", "fish is eaten"},    {"it is closed", "closed today"}};

inline cs_status add_pair(cs_dataset* data, int64_t i, cs_error** error) {
  const auto* pair = kPairs[i % 8];
  return cs_dataset_add(data, pair[0], -1, pair[1], -1, static_cast<double>(i % 3), error);
}

inline void expect_only(const std::string& folder, const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() != name)
      throw Broken("'" + entry.path().filename().string() + "' is left next to the saved folder");
  }
}

}  // namespace contrastive::faults
