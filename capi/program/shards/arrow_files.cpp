#include "capi/program/shards/arrow_files.h"

#include <dlfcn.h>
#include <unistd.h>

#include <stdexcept>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/shards/shard_files.h"

namespace contrastive::cli {
namespace {

constexpr const char* kModuleFile = "contrastive-arrow.so";

std::string folder_of_program() {
  std::string path(4096, '\0');
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(length > 0 ? static_cast<size_t>(length) : 0);
  return path.substr(0, path.rfind('/') + 1);
}

// Loads the module from the program's folder or from the library's. If a file exists but cannot be
// loaded, that is the reason to report.
const ArrowModule* load_module(std::string& reason) {
  for (const std::string& folder :
       {folder_of_program(), folder_of_program() + CONTRASTIVE_LIBRARY_FROM_PROGRAM "/"}) {
    const std::string path = folder + kModuleFile;
    if (!exists(path)) continue;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      reason = dlerror();
      return nullptr;
    }
    const auto entry =
        reinterpret_cast<const ArrowModule* (*)()>(dlsym(library, kArrowModuleEntry));
    const ArrowModule* const module = entry == nullptr ? nullptr : entry();
    if (module != nullptr && module->contract == kArrowModule) return module;
    reason = path + " belongs to another build";
    return nullptr;
  }
  reason = std::string(kModuleFile) + " is not installed with the program (it is built where "
                                      "Apache Arrow is found: CONTRASTIVE_ARROW)";
  return nullptr;
}

struct Loaded {
  Loaded() : module(load_module(reason)) {}
  std::string reason;
  const ArrowModule* module;
};

const Loaded& loaded_arrow() {
  static const Loaded loaded;
  return loaded;
}

template <class Work>
auto as_arrow_says(const std::string& path, int code, const char* status, Work work) {
  try {
    return work();
  } catch (const std::runtime_error& error) {
    Failure failure(code, status, error.what());
    throw path.empty() ? failure : failure.at(path);
  }
}

class CheckedSink : public ArrowSink {
 public:
  explicit CheckedSink(std::unique_ptr<ArrowSink> sink) : sink_(std::move(sink)) {}
  void add(const ShardRow& row) override {
    as_arrow_says("", kExitFailure, "INTERNAL", [&] { sink_->add(row); });
  }
  void finish() override {
    as_arrow_says("", kExitFailure, "INTERNAL", [&] { sink_->finish(); });
  }

 private:
  std::unique_ptr<ArrowSink> sink_;
};

class CheckedSource : public ArrowSource {
 public:
  CheckedSource(std::string path, std::unique_ptr<ArrowSource> source)
      : path_(std::move(path)), source_(std::move(source)) {}
  bool next(ShardRow& row) override {
    return as_arrow_says(path_, kExitData, "FORMAT", [&] { return source_->next(row); });
  }

 private:
  std::string path_;
  std::unique_ptr<ArrowSource> source_;
};

}  // namespace

std::string arrow_version(std::string& reason) {
  const Loaded& arrow = loaded_arrow();
  reason = arrow.reason;
  return arrow.module == nullptr ? "" : arrow.module->version;
}

void need_arrow(const std::string& format) {
  const Loaded& arrow = loaded_arrow();
  if (arrow.module != nullptr) return;
  const std::string name = format == "parquet" ? "Parquet" : "Arrow";
  throw Failure(kExitNotInstalled, "UNSUPPORTED", "this build has no " + name + ": " + arrow.reason,
                "--output-format npy and jsonl need nothing more");
}

std::unique_ptr<ArrowSink> make_arrow_sink(const ShardForm& form, const KeysAndValues& metadata,
                                           const WriteBytes& write) {
  need_arrow(form.format);
  return as_arrow_says("", kExitFailure, "INTERNAL", [&] {
    return std::make_unique<CheckedSink>(loaded_arrow().module->sink(form, metadata, write));
  });
}

std::unique_ptr<ArrowSource> make_arrow_source(const std::string& path, const std::string& format,
                                               int dimension) {
  need_arrow(format);
  Descriptor descriptor = open_regular_file(path);
  return as_arrow_says(path, kExitData, "FORMAT", [&] {
    return std::make_unique<CheckedSource>(path, loaded_arrow().module->source(descriptor.release(),
                                                                               format, dimension));
  });
}

}  // namespace contrastive::cli
