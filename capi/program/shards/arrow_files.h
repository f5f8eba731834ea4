// Arrow and Parquet files of shards. Apache Arrow's library is reached through a module of its own,
// contrastive-arrow.so, which is loaded when such a file is asked for: the program and the library
// work without it, and start no slower for it. README.md beside this file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace contrastive::cli {

struct ShardForm;
struct ShardRow;

class ArrowSink {
 public:
  virtual ~ArrowSink() = default;
  virtual void add(const ShardRow& row) = 0;
  virtual void finish() = 0;  // every byte was handed over
};

class ArrowSource {
 public:
  virtual ~ArrowSource() = default;
  virtual bool next(ShardRow& row) = 0;  // false at the end
};

using WriteBytes = std::function<void(const void* bytes, size_t count)>;
using KeysAndValues = std::vector<std::pair<std::string, std::string>>;

// What the module offers. Its functions throw std::runtime_error with what Arrow says; of what
// `write` throws they let everything through.
struct ArrowModule {
  int contract;         // kArrowModule of the module: another one is another build's
  const char* version;  // of Arrow's library
  std::unique_ptr<ArrowSink> (*sink)(const ShardForm& form, const KeysAndValues& metadata,
                                     const WriteBytes& write);
  std::unique_ptr<ArrowSource> (*source)(int descriptor, const std::string& format,
                                         int dimension);  // takes the descriptor
};
constexpr int kArrowModule = 1;
constexpr const char* kArrowModuleEntry = "contrastive_arrow_module";

// kExitNotInstalled where this installation has no module, or its library cannot be loaded: "this
// build has no Parquet: ...".
void need_arrow(const std::string& format);
// The version of Arrow's library; "" where there is none, with the reason.
std::string arrow_version(std::string& reason);

// The module's, with its errors as Failures.
std::unique_ptr<ArrowSink> make_arrow_sink(const ShardForm& form, const KeysAndValues& metadata,
                                           const WriteBytes& write);
std::unique_ptr<ArrowSource> make_arrow_source(const std::string& path, const std::string& format,
                                               int dimension);

}  // namespace contrastive::cli
