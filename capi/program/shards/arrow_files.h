// Arrow and Parquet files of shards. Apache Arrow's library is used through a separate module,
// contrastive-arrow.so, which is loaded only for such files. So the program works without it, and
// does not start more slowly. README.md in this folder says why.
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
  virtual void finish() = 0;  // passes on all remaining bytes
};

class ArrowSource {
 public:
  virtual ~ArrowSource() = default;
  virtual bool next(ShardRow& row) = 0;  // false at the end
};

using WriteBytes = std::function<void(const void* bytes, size_t count)>;
using KeysAndValues = std::vector<std::pair<std::string, std::string>>;

// The interface of the module. Its functions throw std::runtime_error with Arrow's message, and let
// exceptions of `write` pass.
struct ArrowModule {
  int contract;         // the module's kArrowModule; a different one comes from another build
  const char* version;  // of Arrow's library
  std::unique_ptr<ArrowSink> (*sink)(const ShardForm& form, const KeysAndValues& metadata,
                                     const WriteBytes& write);
  std::unique_ptr<ArrowSource> (*source)(int descriptor, const std::string& format,
                                         int dimension);  // takes the descriptor
};
constexpr int kArrowModule = 1;
constexpr const char* kArrowModuleEntry = "contrastive_arrow_module";

// kExitNotInstalled if this installation has no module, or if its library cannot be loaded: "this
// build has no Parquet: ...".
void need_arrow(const std::string& format);
// The version of Arrow's library. If it is missing, returns "" and sets `reason`.
std::string arrow_version(std::string& reason);

// The module's functions, with its errors as Failures.
std::unique_ptr<ArrowSink> make_arrow_sink(const ShardForm& form, const KeysAndValues& metadata,
                                           const WriteBytes& write);
std::unique_ptr<ArrowSource> make_arrow_source(const std::string& path, const std::string& format,
                                               int dimension);

}  // namespace contrastive::cli
