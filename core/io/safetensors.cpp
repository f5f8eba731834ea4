#include "core/io/safetensors.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/io/atomic_file.h"

namespace contrastive::io {
namespace {

constexpr int64_t kLengthBytes = 8;
constexpr int64_t kMaxHeader = 100'000'000;  // the format's own limit

int64_t element_bytes(const std::string& dtype, const std::string& where) {
  const int64_t bytes = bytes_of(dtype);
  check(bytes > 0, Status::kUnsupported, where, ": elements of type ", dtype.substr(0, 20),
        " are not read; known: F32, F16, BF16, F64, whole numbers, BOOL");
  return bytes;
}

// The product of `shape`, at most `limit`: a file of that many bytes cannot hold more elements, so
// overflows are refused before they happen. If an extent is 0, the others may still be too large
// for the strides of a tensor, and are refused too.
int64_t count_elements(const std::vector<int64_t>& shape, int64_t limit, const std::string& where) {
  const bool none = std::find(shape.begin(), shape.end(), 0) != shape.end();
  const int64_t most = none ? std::numeric_limits<int64_t>::max() : limit;
  int64_t count = 1;
  for (const int64_t extent : shape) {
    check(extent <= most / count, Status::kFormat, where, ": the shape ", shape_text(shape),
          " is larger than any tensor of this file could be");
    count *= std::max<int64_t>(extent, 1);
  }
  return none ? 0 : count;
}

TensorEntry read_entry(const std::string& name, const Json& value, int64_t data_begin,
                       int64_t data_bytes, const std::string& path) {
  check(name.size() <= kMaxTensorName, Status::kLimit, path, ": a tensor has a name of ",
        name.size(), " bytes, above the limit of ", kMaxTensorName);
  const JsonObject object(value, path + ": tensor '" + name + "'");
  const std::string& where = object.source();
  for (const auto& item : value.items()) {
    const std::string& key = item.key();
    check(key == "dtype" || key == "shape" || key == "data_offsets", Status::kFormat, where,
          ": unknown key '", key, "'");
  }
  TensorEntry entry;
  entry.name = name;
  entry.dtype = object.string("dtype");
  const int64_t width = element_bytes(entry.dtype, where);

  const auto whole = [&](const Json& number, const char* what) {
    const bool ok =
        number.is_number_unsigned() &&
        number.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    check(ok, Status::kFormat, where, ": ", what, " must hold whole numbers from 0 to 2^63-1, not ",
          dump_ascii(number).substr(0, 60));
    return number.get<int64_t>();
  };
  const Json& shape = object.at("shape");
  check(shape.is_array() && shape.size() <= 16, Status::kFormat, where,
        ": shape must be a list of at most 16 numbers");
  for (const Json& extent : shape) entry.shape.push_back(whole(extent, "shape"));
  const Json& offsets = object.at("data_offsets");
  check(offsets.is_array() && offsets.size() == 2, Status::kFormat, where,
        ": data_offsets must be a list of two numbers");
  const int64_t begin = whole(offsets[0], "data_offsets"), end = whole(offsets[1], "data_offsets");

  check(begin <= end, Status::kFormat, where, ": data_offsets run backwards: ", begin, " to ", end);
  check(end <= data_bytes, Status::kFormat, where, ": its data would end at byte ", end, " of ",
        data_bytes, ": the file is cut short or malformed");
  entry.elements = count_elements(entry.shape, data_bytes, where);
  entry.bytes = end - begin;
  entry.offset = data_begin + begin;
  check(entry.bytes % width == 0 && entry.bytes / width == entry.elements, Status::kFormat, where,
        ": ", entry.dtype, " ", shape_text(entry.shape), " does not fill its ", entry.bytes,
        " bytes");
  return entry;
}

const char* dtype_name(ElementType type) {
  switch (type) {
    case ElementType::kFloat32: return "F32";
    case ElementType::kFloat64: return "F64";
    case ElementType::kFloat16: return "F16";
    case ElementType::kBFloat16: return "BF16";
    case ElementType::kInt64: return "I64";
  }
  return "";
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::string path) : TensorFile(std::move(path)) {
  check(bytes() >= kLengthBytes, Status::kFormat, this->path(), ": ", bytes(),
        " bytes are too few for a safetensors header");
  unsigned char raw[kLengthBytes];
  read(reinterpret_cast<char*>(raw), kLengthBytes, 0);
  uint64_t length = 0;
  for (int i = kLengthBytes - 1; i >= 0; --i) length = length << 8 | raw[i];
  check(length <= static_cast<uint64_t>(kMaxHeader), Status::kLimit, this->path(),
        ": the header claims ", length, " bytes, above the limit of ", kMaxHeader);
  const int64_t header_bytes = static_cast<int64_t>(length);
  check(header_bytes <= bytes() - kLengthBytes, Status::kFormat, this->path(),
        ": the header claims ", header_bytes, " bytes, but the file has ", bytes());
  std::string header(static_cast<size_t>(header_bytes), '\0');
  read(header.data(), header_bytes, kLengthBytes);
  parse(header, kLengthBytes + header_bytes);
}

void SafetensorsFile::parse(std::string_view header, int64_t data_begin) {
  check(!header.empty() && header[0] == '{', Status::kFormat, path(),
        ": the header does not begin with '{': this is not a safetensors file");
  JsonLimits limits;
  limits.max_bytes = kMaxHeader;
  const Json json = parse_json(header, path() + ": header", limits);
  for (const auto& [name, value] : json.items()) {
    if (name != "__metadata__") {
      entries_.push_back(read_entry(name, value, data_begin, bytes() - data_begin, path()));
      continue;
    }
    const JsonObject metadata(value, path() + ": __metadata__");
    for (const auto& item : value.items()) metadata_[item.key()] = metadata.string(item.key());
  }
  // Empty tensors have the same offset as their neighbour; sorted by size they come before it.
  std::sort(entries_.begin(), entries_.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.offset, a.bytes, a.name) < std::tie(b.offset, b.bytes, b.name);
  });
  check_layout(data_begin);
}

void SafetensorsFile::check_layout(int64_t data_begin) const {
  int64_t position = data_begin;
  for (const TensorEntry& entry : entries_) {
    check(entry.offset >= position, Status::kFormat, path(), ": tensor '", entry.name,
          "' overlaps the one before it");
    check(entry.offset == position, Status::kFormat, path(), ": ", entry.offset - position,
          " bytes before tensor '", entry.name, "' belong to none");
    position += entry.bytes;
  }
  check(position == bytes(), Status::kFormat, path(), ": ", bytes() - position,
        " bytes after the last tensor belong to none");
}

void write_safetensors(OutputFile& file, const TensorMap& tensors,
                       std::map<std::string, std::string> metadata) {
  metadata.emplace("format", "pt");
  Json header = Json::object();
  header["__metadata__"] = metadata;
  Size position(0, "safetensors data");
  for (const auto& [name, tensor] : tensors) {
    check(tensor.defined(), Status::kArgument, "tensor '", name, "' has no numbers");
    const Size end = position + tensor.bytes();
    header[name] = {{"dtype", dtype_name(tensor.type())},
                    {"shape", tensor.shape()},
                    {"data_offsets", {position.value(), end.value()}}};
    position = end;
  }
  std::string text = dump_ascii(header);
  text.append(
      (8 - text.size() % 8) % 8,
      ' ');  // the data begins at a multiple of 8, so that numbers in a mapped file are aligned
  std::string length(kLengthBytes, '\0');
  for (int i = 0; i < kLengthBytes; ++i)
    length[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
  file.write(length);
  file.write(text);
  for (const auto& [name, tensor] : tensors) {
    file.write(std::string_view(static_cast<const char*>(tensor.data()),
                                static_cast<size_t>(tensor.bytes())));
  }
}

}  // namespace contrastive::io
