#include "core/io/atomic_file.h"

#include "core/base/temporary.h"

namespace contrastive::io {

OutputFile::OutputFile(std::string path) : path_(std::move(path)), file_(create_file(path_)) {}

void OutputFile::write(std::string_view bytes) {
  bytes_ += static_cast<int64_t>(bytes.size());
  write_all(file_.get(), bytes, path_);
}

void OutputFile::finish() { sync_and_close(file_, path_); }

void write_file_atomic(const std::string& path, std::string_view bytes) {
  TemporaryFile file(path);
  write_all(file.descriptor(), bytes, file.path());
  file.commit();
}

}  // namespace contrastive::io
