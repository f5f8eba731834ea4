// Builds pickles, operation by operation.
#pragma once

#include <string>

#include "tests/zip_bytes.h"

namespace contrastive::test {

inline const std::string kProtocol2("\x80\x02");

inline std::string pickled_text(const std::string& text) {
  return "X" + little_endian(text.size(), 4) + text;
}
inline std::string pickled_number(int64_t number) {
  return "J" + little_endian(static_cast<uint64_t>(number), 4);
}
inline std::string pickled_class(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string pickled_numbers(const std::vector<int64_t>& numbers) {
  std::string text = "(";
  for (const int64_t number : numbers) text += pickled_number(number);
  return text + "t";
}

struct PickledView {
  std::string name, key = "0", type = "FloatStorage";
  int64_t storage = 4, first = 0;
  std::vector<int64_t> shape = {4}, strides = {1};
};

inline PickledView view_named(const std::string& name) {
  PickledView view;
  view.name = name;
  return view;
}
inline std::string pickled_storage(const PickledView& view) {
  return "(" + pickled_text("storage") + pickled_class("torch", view.type) +
         pickled_text(view.key) + pickled_text("cpu") + pickled_number(view.storage) + "tQ";
}
inline std::string pickled_tensor(const PickledView& view) {
  return pickled_class("torch._utils", "_rebuild_tensor_v2") + "(" + pickled_storage(view) +
         pickled_number(view.first) + pickled_numbers(view.shape) + pickled_numbers(view.strides) +
         "\x89" + pickled_class("collections", "OrderedDict") + ")RtR";
}
// A complete state dict.
inline std::string pickled_state(const std::vector<PickledView>& views) {
  std::string text = kProtocol2 + pickled_class("collections", "OrderedDict") + ")R(";
  for (const PickledView& view : views) text += pickled_text(view.name) + pickled_tensor(view);
  return text + "u.";
}
inline std::string checkpoint_bytes(const std::string& pickle, const std::string& storage) {
  return zip_bytes({{"a/data.pkl", pickle},
                    {"a/byteorder", "little"},
                    {"a/data/0", storage},
                    {"a/version", "3\n"}});
}

}  // namespace contrastive::test
