#include "capi/program/embedding_writer.h"

#include <charconv>

#include "capi/program/failure.h"
#include "capi/program/npy.h"

namespace contrastive::cli {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "files hold little-endian floats, as the machine does");

class RawWriter : public EmbeddingWriter {
 public:
  RawWriter(OutputFile& file, int32_t dimension) : file_(file), dimension_(dimension) {}
  void add(const EmbeddedRow& row) override {
    file_.write(row.embedding, sizeof(float) * static_cast<size_t>(dimension_));
  }
  void finish(int64_t) override {}

 protected:
  OutputFile& file_;
  int32_t dimension_;
};

// The header contains the number of rows, which is known only at the end. So rows for a pipe are
// kept in memory, and the header of a file is overwritten.
class NpyWriter : public RawWriter {
 public:
  NpyWriter(OutputFile& file, int32_t dimension) : RawWriter(file, dimension) {
    if (file_.seekable()) write_header(0);
  }
  void add(const EmbeddedRow& row) override {
    if (file_.seekable()) {
      RawWriter::add(row);
    } else {
      held_.insert(held_.end(), row.embedding, row.embedding + dimension_);
    }
  }
  void finish(int64_t rows) override {
    const std::string header = npy_header(rows, dimension_);
    if (file_.seekable()) {
      file_.overwrite(0, header.data(), header.size());
      return;
    }
    file_.write(header.data(), header.size());
    file_.write(held_.data(), sizeof(float) * held_.size());
  }

 private:
  void write_header(int64_t rows) {
    const std::string header = npy_header(rows, dimension_);
    file_.write(header.data(), header.size());
  }
  std::vector<float> held_;
};

class JsonWriter : public EmbeddingWriter {
 public:
  JsonWriter(OutputFile& file, int32_t dimension) : file_(file), dimension_(dimension) {}
  void add(const EmbeddedRow& row) override {
    std::string line = "{\"id\":" + std::to_string(row.id) +
                       ",\"n_tokens\":" + std::to_string(row.tokens) +
                       ",\"truncated\":" + (row.truncated ? "true" : "false") + ",\"embedding\":[";
    char digits[32];
    for (int32_t j = 0; j < dimension_; ++j) {
      if (j > 0) line += ',';
      // The shortest digits that parse to the same float.
      line.append(digits, std::to_chars(digits, digits + sizeof digits, row.embedding[j]).ptr);
    }
    line += "]}\n";
    file_.write(line.data(), line.size());
  }
  void finish(int64_t) override {}

 private:
  OutputFile& file_;
  int32_t dimension_;
};

}  // namespace

std::string embedding_format(const std::string& path, const std::string& format) {
  const std::string extension = format != "auto" ? format
                                : path == "-"    ? "jsonl"
                                                 : extension_of(path);
  if (extension == "arrow" || extension == "parquet") {
    throw usage_failure("--output '" + path + "': " + extension + " is a form of shards",
                        "use --shard 0/1 for all rows in one");
  }
  if (extension == "npy" || extension == "jsonl" || extension == "f32") return extension;
  throw usage_failure("--output '" + path + "': the form cannot be told from the name",
                      "end it in .npy, .jsonl or .f32, or set --output-format");
}

std::unique_ptr<EmbeddingWriter> make_embedding_writer(const std::string& format, OutputFile& file,
                                                       int32_t dimension) {
  if (format == "npy") return std::make_unique<NpyWriter>(file, dimension);
  if (format == "jsonl") return std::make_unique<JsonWriter>(file, dimension);
  return std::make_unique<RawWriter>(file, dimension);
}

}  // namespace contrastive::cli
