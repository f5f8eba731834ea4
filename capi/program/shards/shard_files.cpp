#include "capi/program/shards/shard_files.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "capi/program/embedding_writer.h"
#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/npy.h"
#include "capi/program/shards/arrow_files.h"

namespace contrastive::cli {
namespace {

constexpr const char* kColumns = ".columns.jsonl";

bool is_arrow(const std::string& format) { return format == "arrow" || format == "parquet"; }

// A row as a JSON object, with or without its embedding.
std::string json_row(const ShardRow& row, bool own_ids, int32_t dimension) {
  const Json id = own_ids ? Json(row.id) : Json(row.number);
  std::string line = "{\"id\":" + id.dump(-1, ' ', true, Json::error_handler_t::replace) +
                     ",\"text_hash\":\"" + row.text_hash + "\"";
  if (dimension > 0) line += ",\"embedding\":[";
  char digits[32];
  for (int32_t i = 0; i < dimension; ++i) {
    if (i > 0) line += ',';
    line.append(digits, std::to_chars(digits, digits + sizeof digits, row.embedding[i]).ptr);
  }
  if (dimension > 0) line += "]";
  return line + ",\"n_tokens\":" + std::to_string(row.tokens) +
         ",\"truncated\":" + (row.truncated ? "true" : "false") + "}\n";
}

class JsonShardWriter : public ShardWriter {
 public:
  JsonShardWriter(const std::string& folder, std::string name, const ShardForm& form)
      : form_(form), name_(std::move(name)), file_(folder + "/" + name_, true, "") {}
  void add(const ShardRow& row) override {
    const std::string line = json_row(row, form_.own_ids, form_.dimension);
    file_.write(line.data(), line.size());
  }
  std::vector<std::string> commit() override {
    file_.commit();
    return {name_};
  }

 private:
  ShardForm form_;
  std::string name_;
  OutputFile file_;
};

class NpyShardWriter : public ShardWriter {
 public:
  NpyShardWriter(const std::string& folder, const std::string& stem, const ShardForm& form)
      : name_(stem + ".npy"), file_(folder + "/" + name_, true, ""),
        vectors_(make_embedding_writer("npy", file_, form.dimension)),
        columns_(folder, stem + kColumns, {form.format, 0, form.own_ids}) {}
  void add(const ShardRow& row) override {
    vectors_->add({row.number, row.embedding, row.tokens, row.truncated});
    columns_.add(row);
    ++rows_;
  }
  std::vector<std::string> commit() override {
    vectors_->finish(rows_);
    file_.commit();
    std::vector<std::string> names = columns_.commit();
    names.insert(names.begin(), name_);
    return names;
  }

 private:
  std::string name_;
  OutputFile file_;
  std::unique_ptr<EmbeddingWriter> vectors_;
  JsonShardWriter columns_;
  int64_t rows_ = 0;
};

class ArrowShardWriter : public ShardWriter {
 public:
  ArrowShardWriter(const std::string& folder, const std::string& stem, const ShardForm& form,
                   const ShardMetadata& metadata)
      : name_(stem + "." + form.format), file_(folder + "/" + name_, true, "") {
    const auto write = [this](const void* bytes, size_t count) { file_.write(bytes, count); };
    sink_ = make_arrow_sink(form, metadata, write);
  }
  void add(const ShardRow& row) override { sink_->add(row); }
  std::vector<std::string> commit() override {
    sink_->finish();
    file_.commit();
    return {name_};
  }

 private:
  std::string name_;
  OutputFile file_;
  std::unique_ptr<ArrowSink> sink_;
};

Failure malformed(const std::string& path, int64_t line, const std::string& what) {
  return Failure(kExitData, "FORMAT", what).at(path, line);
}

class JsonShardReader : public ShardReader {
 public:
  // `dimension` 0: the embeddings are in another file.
  JsonShardReader(std::string path, int32_t dimension)
      : path_(std::move(path)), dimension_(dimension) {
    Descriptor descriptor = open_regular_file(path_);
    file_.reset(fdopen(descriptor.get(), "rb"));
    if (file_ == nullptr) throw system_failure("read", path_, errno);
    descriptor.release();
  }
  ~JsonShardReader() override { std::free(line_); }
  JsonShardReader(const JsonShardReader&) = delete;
  JsonShardReader& operator=(const JsonShardReader&) = delete;

  bool next(ShardRow& row) override {
    const ssize_t length = getline(&line_, &room_, file_.get());
    if (length < 0) return false;
    ++lines_;
    const Json json = Json::parse(line_, line_ + length, nullptr, false);
    try {
      row.id = json.at("id").is_string() ? json["id"].get<std::string>() : "";
      row.number = json["id"].is_string() ? -1 : json["id"].get<int64_t>();
      row.text_hash = json.at("text_hash").get<std::string>();
      row.tokens = json.at("n_tokens").get<int32_t>();
      row.truncated = json.at("truncated").get<bool>();
      if (dimension_ > 0) embedding_ = json.at("embedding").get<std::vector<float>>();
    } catch (const Json::exception&) {
      throw malformed(path_, lines_, "the line is not a row of a shard");
    }
    if (embedding_.size() != static_cast<size_t>(dimension_)) {
      throw malformed(path_, lines_,
                      "the embedding has " + std::to_string(embedding_.size()) + " numbers, not " +
                          std::to_string(dimension_));
    }
    row.embedding = embedding_.data();
    return true;
  }

 private:
  std::string path_;
  int32_t dimension_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  char* line_ = nullptr;
  size_t room_ = 0;
  int64_t lines_ = 0;
  std::vector<float> embedding_;
};

class NpyShardReader : public ShardReader {
 public:
  NpyShardReader(const std::string& folder, const std::string& stem, int32_t dimension)
      : path_(folder + "/" + stem + ".npy"), vectors_(path_),
        columns_(folder + "/" + stem + kColumns, 0) {
    if (vectors_.columns() != dimension) {
      throw malformed(path_, 0,
                      "the vectors have " + std::to_string(vectors_.columns()) +
                          " dimensions, not " + std::to_string(dimension));
    }
    embedding_.resize(static_cast<size_t>(dimension));
  }
  bool next(ShardRow& row) override {
    const bool columns = columns_.next(row), vector = vectors_.next(embedding_.data());
    if (columns != vector) {
      throw malformed(path_, 0,
                      "there are " + std::to_string(vectors_.rows()) + " vectors, and " +
                          (columns ? "more" : "fewer") + " rows for them");
    }
    row.embedding = embedding_.data();
    return vector;
  }

 private:
  std::string path_;
  NpyRows vectors_;
  JsonShardReader columns_;
  std::vector<float> embedding_;
};

class ArrowShardReader : public ShardReader {
 public:
  ArrowShardReader(const std::string& path, const std::string& format, int32_t dimension)
      : source_(make_arrow_source(path, format, dimension)) {}
  bool next(ShardRow& row) override { return source_->next(row); }

 private:
  std::unique_ptr<ArrowSource> source_;
};

}  // namespace

std::vector<std::string> possible_names(const std::string& stem) {
  return {stem + ".npy", stem + kColumns, stem + ".jsonl", stem + ".arrow", stem + ".parquet"};
}

void need_shard_format(const std::string& format) {
  if (is_arrow(format)) need_arrow(format);
}

std::unique_ptr<ShardWriter> make_shard_writer(const std::string& folder, const std::string& stem,
                                               const ShardForm& form,
                                               const ShardMetadata& metadata) {
  if (is_arrow(form.format))
    return std::make_unique<ArrowShardWriter>(folder, stem, form, metadata);
  if (form.format == "jsonl")
    return std::make_unique<JsonShardWriter>(folder, stem + ".jsonl", form);
  return std::make_unique<NpyShardWriter>(folder, stem, form);
}

std::unique_ptr<ShardReader> make_shard_reader(const std::string& folder, const std::string& stem,
                                               const std::string& format, int32_t dimension) {
  if (is_arrow(format))
    return std::make_unique<ArrowShardReader>(folder + "/" + stem + "." + format, format,
                                              dimension);
  if (format == "jsonl")
    return std::make_unique<JsonShardReader>(folder + "/" + stem + ".jsonl", dimension);
  if (format == "npy") return std::make_unique<NpyShardReader>(folder, stem, dimension);
  throw Failure(kExitData, "FORMAT", "'" + format + "' is not a format of a shard")
      .at(folder + "/_" + stem + ".json");
}

}  // namespace contrastive::cli
