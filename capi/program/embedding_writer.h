// The output formats of `contrastive encode`: .npy, JSON lines, raw float32.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capi/program/files.h"

namespace contrastive::cli {

// The embedding of a text, and facts about the text.
struct EmbeddedRow {
  int64_t id = 0;  // from 0, in the order of the input
  const float* embedding = nullptr;
  int32_t tokens = 0;
  bool truncated = false;
};

class EmbeddingWriter {
 public:
  virtual ~EmbeddingWriter() = default;
  virtual void add(const EmbeddedRow& row) = 0;
  virtual void finish(int64_t rows) = 0;  // writes the rest of the file; does not commit it
};

// Checks `format`: "npy", "jsonl" or "f32". "auto" takes the format from the extension of `path`,
// and jsonl for standard output. kExitUsage for anything else.
std::string embedding_format(const std::string& path, const std::string& format);
std::unique_ptr<EmbeddingWriter> make_embedding_writer(const std::string& format, OutputFile& file,
                                                       int32_t dimension);

}  // namespace contrastive::cli
