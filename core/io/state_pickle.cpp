#include "core/io/state_pickle.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/io/tensor_file.h"

namespace contrastive::io {
namespace {

constexpr size_t kMaxValues = 4'000'000;  // about twenty for each tensor
constexpr size_t kMaxDimensions = 16;
constexpr size_t kMaxTensors = 200'000;  // five bytes of the file can make a tensor
constexpr size_t kMaxKey =
    64;  // in bytes; keys are short numbers, and each tensor has its own copy

enum class Kind { kMark, kNone, kBool, kInteger, kText, kTuple, kDict, kClass, kStorage, kTensor };

enum class Class { kOrderedDict, kRebuildTensor, kRebuildParameter, kStorageType };

struct KnownClass {
  const char* module;
  const char* name;
  Class what;
  const char* dtype;  // of a storage
};
constexpr KnownClass kClasses[] = {{"collections", "OrderedDict", Class::kOrderedDict, ""},
                                   {"torch._utils", "_rebuild_tensor_v2", Class::kRebuildTensor,
                                    ""},
                                   {"torch._utils", "_rebuild_parameter", Class::kRebuildParameter,
                                    ""},
                                   {"torch", "FloatStorage", Class::kStorageType, "F32"},
                                   {"torch", "HalfStorage", Class::kStorageType, "F16"},
                                   {"torch", "BFloat16Storage", Class::kStorageType, "BF16"},
                                   {"torch", "DoubleStorage", Class::kStorageType, "F64"},
                                   {"torch", "LongStorage", Class::kStorageType, "I64"},
                                   {"torch", "IntStorage", Class::kStorageType, "I32"},
                                   {"torch", "ShortStorage", Class::kStorageType, "I16"},
                                   {"torch", "CharStorage", Class::kStorageType, "I8"},
                                   {"torch", "ByteStorage", Class::kStorageType, "U8"},
                                   {"torch", "BoolStorage", Class::kStorageType, "BOOL"}};

// Operations whose name the error gives. For others it gives the byte.
struct Refused {
  unsigned char code;
  const char* name;
};
constexpr Refused kRefused[] = {{'i', "INST"},
                                {'o', "OBJ"},
                                {0x81, "NEWOBJ"},
                                {0x92, "NEWOBJ_EX"},
                                {0x82, "EXT1"},
                                {0x83, "EXT2"},
                                {0x84, "EXT4"},
                                {'P', "PERSID"},
                                {'G', "BINFLOAT"},
                                {'B', "BINBYTES"},
                                {'C', "SHORT_BINBYTES"},
                                {0x8e, "BINBYTES8"},
                                {0x96, "BYTEARRAY8"},
                                {0x97, "NEXT_BUFFER"},
                                {']', "EMPTY_LIST"},
                                {0x8f, "EMPTY_SET"},
                                {'0', "POP"},
                                {'1', "POP_MARK"},
                                {'2', "DUP"},
                                {0x8b, "LONG4"},
                                {'l', "LIST"},
                                {'d', "DICT"},
                                {'F', "FLOAT"},
                                {'I', "INT"},
                                {'L', "LONG"},
                                {'S', "STRING"},
                                {'T', "BINSTRING"},
                                {'U', "SHORT_BINSTRING"},
                                {'V', "UNICODE"},
                                {'a', "APPEND"},
                                {'e', "APPENDS"}};

using Place = uint32_t;  // the index of a value

struct Value {
  Kind kind;
  int64_t number =
      0;  // an integer, a boolean, or the index of a KnownClass, of items, or of a tensor
  std::string_view text;  // points into the pickle
};

struct Storage {
  std::string_view key, dtype;
  int64_t elements;
};

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  std::vector<PickledTensor> run() {
    check(bytes_.size() >= 2 && bytes_[0] == '\x80' && bytes_[1] >= 2 && bytes_[1] <= 5,
          Status::kFormat, source_, ": this is not a pickle of protocol 2 to 5");
    next_ = 2;
    while (step()) {
    }
    need(next_ == bytes_.size(), "holds bytes behind its end");
    need(stack_.size() == 1 && values_[stack_[0]].kind == Kind::kDict,
         "does not hold a state dict, a dictionary of tensors");
    return tensors_of(items_[index(values_[stack_[0]].number)]);
  }

 private:
  // Fails with the offset of the current operation.
  template <class... Parts>
  void need(bool ok, const Parts&... parts) const {
    if (!ok) fail(Status::kFormat, source_, ": byte ", began_, ": ", parts...);
  }
  static size_t index(int64_t number) { return static_cast<size_t>(number); }

  std::string_view take(uint64_t count) {
    need(count <= bytes_.size() - next_, "the pickle is cut short");
    const std::string_view part = bytes_.substr(next_, count);
    next_ += count;
    return part;
  }
  uint64_t number(int width) {
    const std::string_view part = take(static_cast<uint64_t>(width));
    uint64_t value = 0;
    for (int i = width - 1; i >= 0; --i)
      value = value << 8 | static_cast<unsigned char>(part[static_cast<size_t>(i)]);
    return value;
  }
  std::string_view line() {
    const size_t end = bytes_.find('\n', next_);
    need(end != std::string_view::npos, "the pickle is cut short");
    const std::string_view text = bytes_.substr(next_, end - next_);
    next_ = end + 1;
    return text;
  }
  // A two's complement number of up to 8 bytes.
  int64_t long_number(uint64_t count) {
    const std::string_view part = take(count);
    check(count <= 8, Status::kLimit, source_, ": byte ", began_, ": a number of ", count,
          " bytes; 8 are the most");
    uint64_t value =
        !part.empty() && static_cast<unsigned char>(part.back()) >= 0x80 ? ~uint64_t{0} : 0;
    for (size_t i = part.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(part[i]);
    return static_cast<int64_t>(value);
  }

  void push(Kind kind, int64_t number = 0, std::string_view text = {}) {
    check(values_.size() < kMaxValues, Status::kLimit, source_, ": more than ", kMaxValues,
          " values");
    values_.push_back({kind, number, text});
    stack_.push_back(static_cast<Place>(values_.size() - 1));
  }
  Place top() const {
    need(!stack_.empty(), "the stack is empty");
    return stack_.back();
  }
  const Value& pop(Kind kind, const char* what) {
    const Place place = top();
    need(values_[place].kind == kind, what);
    stack_.pop_back();
    return values_[place];
  }
  // Pops the values above the last mark, and the mark.
  std::vector<Place> pop_to_mark() {
    size_t mark = stack_.size();
    while (mark > 0 && values_[stack_[mark - 1]].kind != Kind::kMark) --mark;
    need(mark > 0, "there is no mark on the stack");
    std::vector<Place> items(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
    stack_.resize(mark - 1);
    return items;
  }
  void push_items(Kind kind, std::vector<Place> items) {
    push(kind, static_cast<int64_t>(items_.size()));
    items_.push_back(std::move(items));
  }
  void push_tuple(size_t count) {
    need(stack_.size() >= count, "the stack is empty");
    std::vector<Place> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    for (const Place item : items)
      need(values_[item].kind != Kind::kMark, "a mark inside of a tuple");
    stack_.resize(stack_.size() - count);
    push_items(Kind::kTuple, std::move(items));
  }
  void push_text(uint64_t count) {
    const std::string_view text = take(count);
    push(Kind::kText, 0, text);
  }

  // Adds alternating keys and values to the dictionary on the stack.
  void set_items(const std::vector<Place>& pairs) {
    need(pairs.size() % 2 == 0, "a dictionary gets a key without a value");
    const Place place = top();
    need(values_[place].kind == Kind::kDict, "only dictionaries get items");
    std::vector<Place>& items = items_[index(values_[place].number)];
    items.insert(items.end(), pairs.begin(), pairs.end());
  }

  void push_class(std::string_view module, std::string_view name) {
    for (const KnownClass& known : kClasses) {
      if (module == known.module && name == known.name)
        return push(Kind::kClass, &known - kClasses);
    }
    fail(Status::kUnsupported, source_, ": byte ", began_, ": the class '", module.substr(0, 100),
         ".", name.substr(0, 100),
         "' belongs to no state dict, and this library runs no code of a checkpoint; known: "
         "collections.OrderedDict, torch._utils._rebuild_tensor_v2, "
         "torch._utils._rebuild_parameter, and torch's FloatStorage, HalfStorage, BFloat16Storage, "
         "DoubleStorage and those of whole numbers");
  }

  const std::vector<Place>& tuple(Place place, const char* what) const {
    need(values_[place].kind == Kind::kTuple, what);
    return items_[index(values_[place].number)];
  }
  int64_t whole(Place place, const char* what) const {
    need(values_[place].kind == Kind::kInteger && values_[place].number >= 0, what);
    return values_[place].number;
  }
  std::vector<int64_t> wholes(Place place, const char* what) const {
    const std::vector<Place>& items = tuple(place, what);
    check(items.size() <= kMaxDimensions, Status::kLimit, source_, ": byte ", began_,
          ": a tensor of ", items.size(), " dimensions; ", kMaxDimensions, " are the most");
    std::vector<int64_t> numbers;
    for (const Place item : items) numbers.push_back(whole(item, what));
    return numbers;
  }

  // ("storage", type, key, location, elements)
  void push_storage() {
    const std::vector<Place>& id = tuple(top(), "the name of a storage must be a tuple");
    stack_.pop_back();
    const auto is = [&](size_t place, Kind kind) { return values_[id[place]].kind == kind; };
    const bool whole_id = id.size() == 5 && is(0, Kind::kText) &&
                          values_[id[0]].text == "storage" && is(1, Kind::kClass) &&
                          is(2, Kind::kText) && is(3, Kind::kText);
    need(whole_id, "the name of a storage must be ('storage', type, key, place, elements)");
    const KnownClass& type = kClasses[values_[id[1]].number];
    need(type.what == Class::kStorageType, "the type of a storage is ", type.name);
    check(values_[id[2]].text.size() <= kMaxKey, Status::kLimit, source_, ": byte ", began_,
          ": the key of a storage has ", values_[id[2]].text.size(), " bytes, above the limit of ",
          kMaxKey);
    storages_.push_back({values_[id[2]].text, type.dtype,
                         whole(id[4], "the elements of a storage must be a whole number")});
    push(Kind::kStorage, static_cast<int64_t>(storages_.size()) - 1);
  }

  // (storage, first element, shape, strides, requires_grad, hooks)
  void push_tensor(const std::vector<Place>& arguments) {
    need(arguments.size() == 6 && values_[arguments[0]].kind == Kind::kStorage,
         "_rebuild_tensor_v2 needs a storage and 5 more arguments");
    check_training(arguments[4], arguments[5]);
    check(tensors_.size() < kMaxTensors, Status::kLimit, source_, ": more than ", kMaxTensors,
          " tensors");
    const Storage& storage = storages_[index(values_[arguments[0]].number)];
    PickledTensor tensor;
    tensor.dtype = storage.dtype;
    tensor.storage = storage.key;
    tensor.storage_elements = storage.elements;
    tensor.first = whole(arguments[1], "the first element of a tensor must be a whole number");
    tensor.shape = wholes(arguments[2], "the shape of a tensor must be a tuple of whole numbers");
    tensor.strides =
        wholes(arguments[3], "the strides of a tensor must be a tuple of whole numbers");
    need(tensor.shape.size() == tensor.strides.size(), "a tensor has ", tensor.shape.size(),
         " dimensions and ", tensor.strides.size(), " strides");
    tensors_.push_back(std::move(tensor));
    push(Kind::kTensor, static_cast<int64_t>(tensors_.size()) - 1);
  }

  void check_training(Place requires_grad, Place hooks) const {
    need(values_[requires_grad].kind == Kind::kBool,
         "requires_grad of a tensor must be true or false");
    const Value& value = values_[hooks];
    need(value.kind == Kind::kNone ||
             (value.kind == Kind::kDict && items_[index(value.number)].empty()),
         "a tensor has hooks, which are code");
  }

  void reduce() {
    const std::vector<Place>& arguments = tuple(top(), "the arguments of a class must be a tuple");
    stack_.pop_back();
    const Value callable = pop(Kind::kClass, "only a class can be called");
    switch (kClasses[callable.number].what) {
      case Class::kOrderedDict:
        need(arguments.empty(), "OrderedDict is called with arguments");
        return push_items(Kind::kDict, {});
      case Class::kRebuildTensor: return push_tensor(arguments);
      case Class::kRebuildParameter:
        need(arguments.size() == 3 && values_[arguments[0]].kind == Kind::kTensor,
             "_rebuild_parameter needs a tensor and 2 more arguments");
        check_training(arguments[1], arguments[2]);
        return push(Kind::kTensor, values_[arguments[0]].number);
      case Class::kStorageType:
        need(false, "the storage type ", kClasses[callable.number].name, " is called");
    }
  }

  // The state of a state dict is _metadata, from which torch knows how to convert old formats. No
  // file that is read here is that old.
  void build() {
    pop(Kind::kDict, "only dictionaries are taken as a state");
    need(values_[top()].kind == Kind::kDict, "only dictionaries get a state");
  }

  void get(uint64_t memo) {
    const auto found = memo_.find(memo);
    need(found != memo_.end(), "nothing is remembered as ", memo);
    stack_.push_back(found->second);
  }
  void put(uint64_t memo) {
    need(values_[top()].kind != Kind::kMark, "a mark is to be remembered");
    memo_[memo] = top();
  }

  // Runs one operation. False at the end.
  bool step() {
    began_ = next_;
    check(stack_.size() < kMaxValues, Status::kLimit, source_, ": more than ", kMaxValues,
          " values on the stack");
    const auto code = static_cast<unsigned char>(take(1)[0]);
    switch (code) {
      case '.': return false;
      case '(': push(Kind::kMark); break;
      case ')': push_items(Kind::kTuple, {}); break;
      case '}': push_items(Kind::kDict, {}); break;
      case 'N': push(Kind::kNone); break;
      case 0x88: push(Kind::kBool, 1); break;
      case 0x89: push(Kind::kBool, 0); break;
      case 'K': push(Kind::kInteger, static_cast<int64_t>(number(1))); break;
      case 'M': push(Kind::kInteger, static_cast<int64_t>(number(2))); break;
      case 'J': push(Kind::kInteger, static_cast<int32_t>(number(4))); break;
      case 0x8a: push(Kind::kInteger, long_number(number(1))); break;
      case 0x8c: push_text(number(1)); break;
      case 'X': push_text(number(4)); break;
      case 0x8d: push_text(number(8)); break;
      case 't': push_items(Kind::kTuple, pop_to_mark()); break;
      case 0x85: push_tuple(1); break;
      case 0x86: push_tuple(2); break;
      case 0x87: push_tuple(3); break;
      case 's': {
        need(stack_.size() >= 3, "the stack is empty");
        const std::vector<Place> pair(stack_.end() - 2, stack_.end());
        stack_.resize(stack_.size() - 2);
        set_items(pair);
        break;
      }
      case 'u': set_items(pop_to_mark()); break;
      case 'q': put(number(1)); break;
      case 'r': put(number(4)); break;
      case 0x94: put(memo_.size()); break;
      case 'h': get(number(1)); break;
      case 'j': get(number(4)); break;
      case 0x95:
        need(number(8) <= bytes_.size() - next_, "a frame is longer than the pickle");
        break;
      case 'c': {
        const std::string_view module = line();
        push_class(module, line());
        break;
      }
      case 0x93: {
        const std::string_view name = pop(Kind::kText, "the name of a class must be a text").text;
        push_class(pop(Kind::kText, "the module of a class must be a text").text, name);
        break;
      }
      case 'Q': push_storage(); break;
      case 'R': reduce(); break;
      case 'b': build(); break;
      default: refuse(code);
    }
    return true;
  }

  [[noreturn]] void refuse(unsigned char code) const {
    const auto found = std::find_if(std::begin(kRefused), std::end(kRefused),
                                    [&](const Refused& row) { return row.code == code; });
    fail(Status::kUnsupported, source_, ": byte ", began_, ": the operation ",
         found != std::end(kRefused) ? cat(found->name) : cat("of code ", int{code}),
         " belongs to no state dict");
  }

  std::vector<PickledTensor> tensors_of(const std::vector<Place>& items) {
    std::vector<PickledTensor> all;
    std::set<std::string_view> names;
    for (size_t i = 0; i < items.size(); i += 2) {
      const Value &key = values_[items[i]], &value = values_[items[i + 1]];
      check(key.kind == Kind::kText, Status::kFormat, source_,
            ": a key of the state dict is not a text");
      check(value.kind == Kind::kTensor, Status::kUnsupported, source_, ": '",
            key.text.substr(0, 100),
            "' is not a tensor; only the state dict of a model is read, not a training checkpoint");
      check(key.text.size() <= kMaxTensorName, Status::kLimit, source_, ": a tensor has a name of ",
            key.text.size(), " bytes, above the limit of ", kMaxTensorName);
      check(all.size() < kMaxTensors, Status::kLimit, source_, ": more than ", kMaxTensors,
            " tensors");
      check(names.insert(key.text).second, Status::kFormat, source_, ": tensor '",
            key.text.substr(0, 100), "' appears twice");
      all.push_back(tensors_[index(value.number)]);
      all.back().name = key.text;
    }
    return all;
  }

  const std::string_view bytes_;
  const std::string& source_;
  size_t next_ = 0, began_ = 0;
  std::vector<Value> values_;              // all values; containers refer to them by index
  std::vector<std::vector<Place>> items_;  // of tuples; keys and values of dictionaries
  std::vector<Storage> storages_;
  std::vector<PickledTensor> tensors_;
  std::vector<Place> stack_;
  std::map<uint64_t, Place> memo_;  // not a hash table, because the file chooses the keys
};

}  // namespace

std::vector<PickledTensor> parse_state_pickle(std::string_view bytes, const std::string& source) {
  return Machine(bytes, source).run();
}

}  // namespace contrastive::io
