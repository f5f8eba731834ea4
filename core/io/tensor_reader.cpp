#include "core/io/tensor_reader.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/error.h"
#include "core/system/mapping.h"
#include "core/base/file.h"
#include "core/host/helper_threads.h"
#include "core/io/safetensors.h"

namespace contrastive::io {
namespace {

constexpr int64_t kChunkElements = 128 * 1024;  // half a megabyte of float32, which stays in a
                                                // core's cache between reading and checking
constexpr int kThreads =
    2;  // fast enough for the page cache; more would only take cores from others

class Mapping {
 public:
  explicit Mapping(const TensorFile& file) : bytes_(static_cast<size_t>(file.bytes())) {
    data_ = system::map_file(file.descriptor(), bytes_);
    if (data_ == nullptr) fail_system(file.path(), "cannot be mapped", errno);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { system::unmap(data_, bytes_); }
  char* data() const { return data_; }

 private:
  size_t bytes_;
  char* data_ = nullptr;
};

// A range of elements of one tensor: the unit of work of a thread.
struct Chunk {
  size_t tensor;
  int64_t first;  // the index of an element
  int64_t elements;
};

// The 16 bits of a half-precision number, or the upper half of a float32.
struct Half {
  uint16_t bits;
  explicit operator float() const {
    const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1f,
                   fraction = bits & 0x3ff;
    if (exponent == 0)
      return (sign != 0 ? -1.0f : 1.0f) * std::ldexp(static_cast<float>(fraction), -24);
    return of_bits(sign | (exponent == 0x1f ? 0xffu : exponent + 112) << 23 | fraction << 13);
  }
  static float of_bits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};
struct BFloat16 {
  uint16_t bits;
  explicit operator float() const { return Half::of_bits(static_cast<uint32_t>(bits) << 16); }
};

// The elements of a tensor with strides, in row-major order, from the bytes that begin at its first
// element.
std::vector<char> gathered(const TensorEntry& entry, const std::vector<char>& bytes,
                           int64_t width) {
  std::vector<char> row_major(static_cast<size_t>(entry.elements * width));
  std::vector<int64_t> at(entry.shape.size(), 0);
  int64_t from = 0;  // the index of an element
  for (int64_t to = 0; to < entry.elements; ++to) {
    std::memcpy(row_major.data() + to * width, bytes.data() + from * width,
                static_cast<size_t>(width));
    for (size_t i = at.size(); i-- > 0;) {
      from += entry.strides[i];
      if (++at[i] < entry.shape[i]) break;
      from -= at[i] * entry.strides[i];
      at[i] = 0;
    }
  }
  return row_major;
}

template <class From>
void widen(const char* source, float* into, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i) {
    From value;
    std::memcpy(&value, source + i * static_cast<int64_t>(sizeof(From)), sizeof(From));
    into[i] = static_cast<float>(value);
  }
}

void convert(const std::string& dtype, const char* source, float* into, int64_t elements) {
  if (dtype == "F16") widen<Half>(source, into, elements);
  if (dtype == "BF16") widen<BFloat16>(source, into, elements);
  if (dtype == "F64") widen<double>(source, into, elements);
  if (dtype == "F32") std::memcpy(into, source, static_cast<size_t>(elements) * sizeof(float));
}

int64_t count_non_finite(const float* values, int64_t elements) {
  constexpr uint32_t kExponent = 0x7f800000u;  // all ones only in NaN and infinity
  int64_t count = 0;
  for (int64_t begin = 0; begin < elements;
       begin += 4096) {  // 32-bit partial counts keep the inner loop in vector registers
    uint32_t part = 0;
    for (int64_t i = begin, end = std::min(begin + 4096, elements); i < end; ++i) {
      uint32_t bits;
      std::memcpy(&bits, values + i, sizeof(bits));
      part += (bits & kExponent) == kExponent;
    }
    count += part;
  }
  return count;
}

class Reader {
 public:
  Reader(const std::vector<TensorSource>& sources, const TensorReadOptions& options)
      : sources_(sources), options_(options),
        non_finite_(std::make_unique<std::atomic<int64_t>[]>(sources.size())) {
    for (size_t i = 0; i < sources.size(); ++i) prepare(i);
  }

  std::vector<Tensor> run() {
    host::HelperThreads helpers;
    for (int i = 1; i < kThreads && chunks_.size() > 8; ++i) helpers.start([this] { work(); });
    work();
    helpers.join();
    if (error_) std::rethrow_exception(error_);
    for (size_t i = 0; i < sources_.size() && !options_.allow_non_finite; ++i) {
      const int64_t count = non_finite_[i];
      check(count == 0, Status::kNumeric, sources_[i].file->path(), ": tensor '",
            sources_[i].entry->name, "' has ", count,
            " values that are NaN or infinite; allow_non_finite reads it all the same");
    }
    return std::move(tensors_);
  }

 private:
  void prepare(size_t index) {
    const auto& [file, entry] = sources_[index];
    const bool whole = options_.whole_numbers && entry->dtype == "I64" && entry->strides.empty();
    check(entry->is_float() || whole, Status::kUnsupported, file->path(), ": tensor '", entry->name,
          "' has elements of type ", entry->dtype, "; F32, F16, BF16 or F64 is needed");
    const bool aliased = options_.memory_map && entry->dtype == "F32" && entry->offset % 4 == 0 &&
                         entry->elements > 0 && entry->strides.empty();
    if (aliased) {
      const std::shared_ptr<Mapping> mapping = map(*file);
      tensors_.emplace_back(entry->shape, ElementType::kFloat32, mapping->data() + entry->offset,
                            mapping);
    } else {
      tensors_.emplace_back(entry->shape, whole ? ElementType::kInt64 : ElementType::kFloat32);
    }
    aliased_.push_back(aliased);
    targets_.push_back(static_cast<char*>(tensors_.back().mutable_data()));
    const int64_t chunk = entry->strides.empty() ? kChunkElements : entry->elements;
    for (int64_t first = 0; first < entry->elements; first += chunk)
      chunks_.push_back({index, first, std::min(chunk, entry->elements - first)});
  }

  std::shared_ptr<Mapping> map(const TensorFile& file) {
    std::shared_ptr<Mapping>& mapping = mappings_[&file];
    if (!mapping) {
      mapping = std::make_shared<Mapping>(file);
      system::FileInfo info;
      check(system::get_info(file.descriptor(), info) && info.size == file.bytes(),
            Status::kCorrupt, file.path(), ": changed its length while it was opened");
    }
    return mapping;
  }

  void work() noexcept {
    try {
      std::vector<char> scratch;
      for (size_t i = next_++; i < chunks_.size() && !failed_; i = next_++)
        read_chunk(chunks_[i], scratch);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
    }
  }

  void read_chunk(const Chunk& chunk, std::vector<char>& scratch) {
    const auto& [file, entry] = sources_[chunk.tensor];
    if (chunk.first == 0) file->verify(*entry);
    const int64_t width = bytes_of(entry->dtype);
    const int64_t offset = entry->offset + chunk.first * width;
    if (entry->dtype == "I64")
      return file->read(targets_[chunk.tensor] + chunk.first * width, chunk.elements * width,
                        offset);
    float* const target = reinterpret_cast<float*>(targets_[chunk.tensor]) + chunk.first;
    if (entry->dtype == "F32" && entry->strides.empty()) {
      if (!aliased_[chunk.tensor])
        file->read(reinterpret_cast<char*>(target), chunk.elements * width, offset);
    } else {
      const int64_t bytes = entry->strides.empty() ? chunk.elements * width : entry->bytes;
      scratch.resize(static_cast<size_t>(bytes));
      file->read(scratch.data(), bytes, offset);
      if (!entry->strides.empty()) scratch = gathered(*entry, scratch, width);
      convert(entry->dtype, scratch.data(), target, chunk.elements);
    }
    if (!options_.allow_non_finite)
      non_finite_[chunk.tensor] += count_non_finite(target, chunk.elements);
    // Only the check for NaN has touched these pages. They come back from the page cache when they
    // are needed, and the rows of rare tokens never are. They cannot have been written to yet.
    if (aliased_[chunk.tensor])
      system::forget_pages(target, static_cast<size_t>(chunk.elements) * sizeof(float));
  }

  const std::vector<TensorSource>& sources_;
  const TensorReadOptions options_;
  std::vector<Tensor> tensors_;
  std::vector<char*> targets_;
  std::vector<bool> aliased_;
  std::map<const TensorFile*, std::shared_ptr<Mapping>> mappings_;
  std::vector<Chunk> chunks_;
  std::atomic<size_t> next_{0};
  std::unique_ptr<std::atomic<int64_t>[]> non_finite_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::vector<Tensor> read_tensors(const std::vector<TensorSource>& sources,
                                 const TensorReadOptions& options) {
  return Reader(sources, options).run();
}

TensorMap read_safetensors(const std::string& path, const TensorReadOptions& options) {
  const SafetensorsFile file(path);
  std::vector<TensorSource> sources;
  for (const TensorEntry& entry : file.entries()) sources.push_back({&file, &entry});
  const std::vector<Tensor> tensors = read_tensors(sources, options);
  TensorMap map;
  for (size_t i = 0; i < tensors.size(); ++i) map[sources[i].entry->name] = tensors[i];
  return map;
}

}  // namespace contrastive::io
