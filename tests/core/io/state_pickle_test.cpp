#include "core/io/state_pickle.h"

#include "tests/core/io/files.h"
#include "tests/core/io/pickle_bytes.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using namespace test;

std::vector<PickledTensor> parse(const std::string& bytes) {
  return parse_state_pickle(bytes, "data.pkl");
}

TEST(StatePickle, ReadsViewsOfStorages) {
  PickledView b = view_named("b");
  b.key = "17", b.type = "BFloat16Storage", b.storage = 100, b.first = 3, b.shape = {2, 5},
  b.strides = {5, 1};
  const std::vector<PickledTensor> tensors = parse(pickled_state({view_named("a"), b}));
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].dtype, "F32");
  EXPECT_EQ(tensors[1].dtype, "BF16");
  EXPECT_EQ(tensors[1].storage, "17");
  EXPECT_EQ(tensors[1].storage_elements, 100);
  EXPECT_EQ(tensors[1].first, 3);
  EXPECT_EQ(tensors[1].shape, (std::vector<int64_t>{2, 5}));
  EXPECT_EQ(tensors[1].strides, (std::vector<int64_t>{5, 1}));
  EXPECT_TRUE(parse(kProtocol2 + "}.").empty());
}

TEST(StatePickle, AForbiddenClassIsNamedWithItsPlace) {
  const std::string message = "byte 2: the class 'os.system' belongs to no state dict, and this "
                              "library runs no code of a checkpoint";
  expect_error(Status::kUnsupported, message, [] {
    parse(kProtocol2 + pickled_class("os", "system") + pickled_text("id") + "\x85R.");
  });
  expect_error(Status::kUnsupported, "'os.system'",
               [] { parse(kProtocol2 + pickled_text("os") + pickled_text("system") + "\x93."); });
  for (const auto& [module, name] : {std::pair("builtins", "eval"),
                                     {"posix", "system"},
                                     {"torch", "load"},
                                     {"torch._utils", "_rebuild_tensor_v3"},
                                     {"collections", "OrderedDict.__init__"},
                                     {"torch.nn.modules.linear", "Linear"},
                                     {"torch", "QInt8Storage"}}) {
    expect_error(Status::kUnsupported, cat("the class '", module, ".", name, "'"),
                 [&, m = module, n = name] { parse(kProtocol2 + pickled_class(m, n) + "."); });
  }
}

TEST(StatePickle, OtherOperationsAreNamed) {
  for (const auto& [bytes, name] : {std::pair("(ios\nsystem\n", "INST"),
                                    {"\x81", "NEWOBJ"},
                                    {"o", "OBJ"},
                                    {"Pid\n", "PERSID"},
                                    {"\x82\x01", "EXT1"},
                                    {"G", "BINFLOAT"},
                                    {"]", "EMPTY_LIST"},
                                    {"\xff", "of code 255"}}) {
    expect_error(Status::kUnsupported, cat("the operation ", name, " belongs to no state dict"),
                 [b = bytes] { parse(kProtocol2 + b + "."); });
  }
}

TEST(StatePickle, WhatIsNoStateDictIsRefused) {
  const std::string dict = pickled_class("collections", "OrderedDict"),
                    tensor = pickled_tensor(view_named("a"));
  const struct {
    const char* name;
    std::string bytes;
    const char* message;
  } bad[] = {
      {"protocol 1", std::string("\x80\x01}."), "this is not a pickle of protocol 2 to 5"},
      {"no protocol", "}q\x01.", "this is not a pickle of protocol 2 to 5"},
      {"nothing behind it", kProtocol2, "the pickle is cut short"},
      {"bytes behind the end", kProtocol2 + "}.x", "holds bytes behind its end"},
      {"a number", kProtocol2 + pickled_number(3) + ".", "does not hold a state dict"},
      {"a tensor alone", kProtocol2 + tensor + ".", "does not hold a state dict"},
      {"two values", kProtocol2 + "}}.", "does not hold a state dict"},
      {"a number as a key", kProtocol2 + "}" + pickled_number(1) + tensor + "s.",
       "a key of the state dict is not a text"},
      {"a tensor twice",
       kProtocol2 + "}(" + pickled_text("a") + tensor + pickled_text("a") + tensor + "u.",
       "tensor 'a' appears twice"},
      {"a key alone", kProtocol2 + "}(" + pickled_text("a") + "u.", "a key without a value"},
      {"no mark", kProtocol2 + "}u.", "there is no mark"},
      {"an empty stack", kProtocol2 + "q\x01.", "the stack is empty"},
      {"never remembered", kProtocol2 + "h\x05.", "nothing is remembered as 5"},
      {"a called text", kProtocol2 + pickled_text("a") + ")R.", "only a class can be called"},
      {"a dictionary of something", kProtocol2 + dict + pickled_numbers({1}) + "R.",
       "OrderedDict is called with arguments"},
      {"a called storage type", kProtocol2 + pickled_class("torch", "FloatStorage") + ")R.",
       "the storage type FloatStorage is called"},
      {"a storage of nothing", kProtocol2 + ")Q.",
       "the name of a storage must be ('storage', type, key, place, elements)"},
      {"a storage of another kind",
       kProtocol2 + "(" + pickled_text("storage") + dict + pickled_text("0") + pickled_text("cpu") +
           pickled_number(1) + "tQ.",
       "the type of a storage is OrderedDict"},
      {"fewer arguments", kProtocol2 + pickled_class("torch._utils", "_rebuild_tensor_v2") + ")R.",
       "needs a storage and 5 more"},
      {"a state of a text", kProtocol2 + pickled_text("a") + "}b.",
       "only dictionaries get a state"},
      {"a frame too long", kProtocol2 + "\x95" + little_endian(99, 8) + "}.",
       "a frame is longer than the pickle"},
      {"a text too long", kProtocol2 + "X" + little_endian(0xffffffff, 4) + "a.", "cut short"},
      {"a text of 2^63", kProtocol2 + "\x8d" + little_endian(uint64_t{1} << 63, 8) + "a.",
       "cut short"},
  };
  for (const auto& pickle : bad) {
    SCOPED_TRACE(pickle.name);
    expect_error(Status::kFormat, pickle.message, [&] { parse(pickle.bytes); });
  }
  expect_error(Status::kUnsupported, "'epoch' is not a tensor",
               [] { parse(kProtocol2 + "}" + pickled_text("epoch") + pickled_number(3) + "s."); });
}

TEST(StatePickle, HooksAreCode) {
  PickledView view = view_named("a");
  std::string bytes = pickled_state({view});
  const std::string hooks = pickled_class("collections", "OrderedDict") + ")RtR";
  const size_t place = bytes.rfind(hooks);
  ASSERT_NE(place, std::string::npos);
  bytes.replace(place, hooks.size(),
                pickled_class("collections", "OrderedDict") + ")R" + pickled_text("hook") +
                    pickled_number(1) + "stR");
  expect_error(Status::kFormat, "a tensor has hooks, which are code", [&] { parse(bytes); });
}

TEST(StatePickle, MemoryIsBounded) {
  expect_error(Status::kLimit, "values", [] { parse(kProtocol2 + std::string(5'000'000, 'N')); });
  expect_error(Status::kLimit, "a tensor of 17 dimensions", [] {
    PickledView view = view_named("a");
    view.shape = view.strides = std::vector<int64_t>(17, 1);
    parse(pickled_state({view}));
  });
  expect_error(Status::kLimit, "the key of a storage has 65 bytes", [] {
    PickledView view = view_named("a");
    view.key = std::string(65, '0');
    parse(pickled_state({view}));
  });
  expect_error(Status::kLimit, "a name of 1025 bytes",
               [] { parse(pickled_state({view_named(std::string(1025, 'a'))})); });
  // With one class and one tuple of arguments, five bytes make a tensor.
  const std::string tensor = pickled_tensor(view_named("a")),
                    type = pickled_class("torch._utils", "_rebuild_tensor_v2");
  std::string many = kProtocol2 + type + std::string("q\0", 2) +
                     tensor.substr(type.size(), tensor.size() - type.size() - 1) + "q\x01";
  for (int i = 0; i < 200'001; ++i) many += std::string("h\0h\x01R", 5);
  expect_error(Status::kLimit, "more than 200000 tensors", [&] { parse(many + "."); });
  // One tuple of many elements, used as often as possible: it must not be copied each time.
  std::string bytes = kProtocol2 + "(" + std::string(1'000'000, 'N') + "tq\x01" + "0";
  bytes.pop_back();
  for (int i = 0; i < 100'000; ++i) bytes += "h\x01";
  expect_error(Status::kFormat, "cut short", [&] { parse(bytes); });
}

TEST(StatePickle, CutAnywhereItIsRefused) {
  const std::string bytes = pickled_state({view_named("a"), view_named("b")});
  for (size_t length = 0; length < bytes.size(); ++length) {
    SCOPED_TRACE(length);
    expect_error(Status::kFormat, "data.pkl", [&] { parse(bytes.substr(0, length)); });
  }
}

}  // namespace
}  // namespace contrastive::io
