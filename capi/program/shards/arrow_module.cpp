// contrastive-arrow.so: writes and reads shards as Arrow IPC files and as Parquet with Apache
// Arrow's library. OUTPUT_CONTRACT.md describes the columns.
#include <arrow/api.h>
#include <arrow/io/api.h>
#include <arrow/ipc/api.h>
#include <arrow/util/config.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "capi/program/shards/arrow_files.h"
#include "capi/program/shards/shard_files.h"

namespace contrastive::cli {
namespace {

// Embeddings in one record batch or row group. Writers and readers hold one of these in memory.
constexpr int64_t kGroupBytes = int64_t{16} << 20;
enum Column { kId, kTextHash, kEmbedding, kTokens, kTruncated, kColumnCount };

void need_ok(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}
template <class T>
T need_value(arrow::Result<T> result) {
  need_ok(result.status());
  return std::move(result).ValueUnsafe();
}

std::shared_ptr<arrow::Schema> schema_of(const ShardForm& form, const KeysAndValues& metadata) {
  std::vector<std::string> keys, values;
  for (const auto& [key, value] : metadata) {
    keys.push_back(kMetadataPrefix + key);
    values.push_back(value);
  }
  const auto number = arrow::field("item", arrow::float32(), false);
  return arrow::schema({arrow::field("id", form.own_ids ? arrow::utf8() : arrow::int64(), false),
                        arrow::field("text_hash", arrow::utf8(), false),
                        arrow::field("embedding", arrow::fixed_size_list(number, form.dimension),
                                     false),
                        arrow::field("n_tokens", arrow::int32(), false),
                        arrow::field("truncated", arrow::boolean(), false)},
                       arrow::key_value_metadata(keys, values));
}

// Passes bytes to the program, which owns the file. An exception of the program must not pass
// through Arrow's code, which does not expect it, so it is stored and thrown again later.
class ProgramStream : public arrow::io::OutputStream {
 public:
  explicit ProgramStream(WriteBytes write) : write_(std::move(write)) {}
  arrow::Status Write(const void* data, int64_t bytes) override {
    try {
      write_(data, static_cast<size_t>(bytes));
      position_ += bytes;
      return arrow::Status::OK();
    } catch (...) {
      problem_ = std::current_exception();
      return arrow::Status::IOError("the file cannot be written");
    }
  }
  using arrow::io::OutputStream::Write;
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> Tell() const override { return position_; }
  bool closed() const override { return closed_; }
  void check(const arrow::Status& status) const {
    if (problem_ != nullptr) std::rethrow_exception(problem_);
    need_ok(status);
  }

 private:
  WriteBytes write_;
  std::exception_ptr problem_;
  int64_t position_ = 0;
  bool closed_ = false;
};

// The rows of one record batch, column by column.
class Rows {
 public:
  explicit Rows(const ShardForm& form)
      : form_(form), floats_(std::make_shared<arrow::FloatBuilder>()),
        embeddings_(arrow::default_memory_pool(), floats_,
                    arrow::fixed_size_list(arrow::field("item", arrow::float32(), false),
                                           form.dimension)) {}
  void add(const ShardRow& row) {
    need_ok(form_.own_ids ? texts_.Append(row.id) : numbers_.Append(row.number));
    need_ok(hashes_.Append(row.text_hash));
    need_ok(embeddings_.Append());
    need_ok(floats_->AppendValues(row.embedding, form_.dimension));
    need_ok(tokens_.Append(row.tokens));
    need_ok(truncated_.Append(row.truncated));
    ++count_;
  }
  int64_t count() const { return count_; }
  std::shared_ptr<arrow::RecordBatch> take(const std::shared_ptr<arrow::Schema>& schema) {
    arrow::ArrayVector columns(kColumnCount);
    need_ok(form_.own_ids ? texts_.Finish(&columns[kId]) : numbers_.Finish(&columns[kId]));
    need_ok(hashes_.Finish(&columns[kTextHash]));
    need_ok(embeddings_.Finish(&columns[kEmbedding]));
    need_ok(tokens_.Finish(&columns[kTokens]));
    need_ok(truncated_.Finish(&columns[kTruncated]));
    return arrow::RecordBatch::Make(schema, std::exchange(count_, 0), columns);
  }

 private:
  ShardForm form_;
  arrow::Int64Builder numbers_;
  arrow::StringBuilder texts_, hashes_;
  std::shared_ptr<arrow::FloatBuilder> floats_;
  arrow::FixedSizeListBuilder embeddings_;
  arrow::Int32Builder tokens_;
  arrow::BooleanBuilder truncated_;
  int64_t count_ = 0;
};

class Sink : public ArrowSink {
 public:
  Sink(const ShardForm& form, const KeysAndValues& metadata, const WriteBytes& write)
      : schema_(schema_of(form, metadata)), stream_(std::make_shared<ProgramStream>(write)),
        rows_(form), group_(std::max<int64_t>(1, kGroupBytes / (4 * int64_t{form.dimension}))) {
    if (form.format == "arrow") {
      batches_ = opened(arrow::ipc::MakeFileWriter(stream_, schema_));
      return;
    }
    // Embeddings and hashes do not compress.
    const auto properties = parquet::WriterProperties::Builder()
                                .disable_dictionary()
                                ->compression(parquet::Compression::UNCOMPRESSED)
                                ->build();
    const auto types = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    parquet_ = opened(parquet::arrow::FileWriter::Open(*schema_, arrow::default_memory_pool(),
                                                       stream_, properties, types));
  }
  void add(const ShardRow& row) override {
    rows_.add(row);
    if (rows_.count() >= group_) write_rows();
  }
  void finish() override {
    if (rows_.count() > 0) write_rows();
    stream_->check(batches_ != nullptr ? batches_->Close() : parquet_->Close());
  }

 private:
  template <class T>
  T opened(arrow::Result<T> result) {
    stream_->check(result.status());
    return std::move(result).ValueUnsafe();
  }
  void write_rows() {
    const auto batch = rows_.take(schema_);
    if (batches_ != nullptr) {
      stream_->check(batches_->WriteRecordBatch(*batch));
      return;
    }
    stream_->check(
        parquet_->WriteTable(*need_value(arrow::Table::FromRecordBatches(schema_, {batch})),
                             batch->num_rows()));
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<ProgramStream> stream_;
  Rows rows_;
  int64_t group_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> batches_;
  std::unique_ptr<parquet::arrow::FileWriter> parquet_;
};

class Source : public ArrowSource {
 public:
  Source(int descriptor, const std::string& format, int dimension) : dimension_(dimension) {
    const auto file = need_value(arrow::io::ReadableFile::Open(descriptor));
    if (format == "arrow") {
      ipc_ = need_value(arrow::ipc::RecordBatchFileReader::Open(file));
      check_schema(*ipc_->schema());
      return;
    }
    parquet::arrow::FileReaderBuilder builder;
    need_ok(builder.Open(file));
    need_ok(builder.Build(&parquet_));
    std::shared_ptr<arrow::Schema> schema;
    need_ok(parquet_->GetSchema(&schema));
    check_schema(*schema);
  }

  bool next(ShardRow& row) override {
    while (batch_ == nullptr || at_ == batch_->num_rows()) {
      if (!next_batch()) return false;
    }
    row.number = -1;
    if (const auto* ids = dynamic_cast<const arrow::StringArray*>(batch_->column(kId).get()))
      row.id = ids->GetString(at_);
    else row.number = column<arrow::Int64Array>(kId).Value(at_);
    row.text_hash = column<arrow::StringArray>(kTextHash).GetString(at_);
    const auto& embeddings = column<arrow::FixedSizeListArray>(kEmbedding);
    row.embedding = static_cast<const arrow::FloatArray&>(*embeddings.values()).raw_values() +
                    embeddings.value_offset(at_);
    row.tokens = column<arrow::Int32Array>(kTokens).Value(at_);
    row.truncated = column<arrow::BooleanArray>(kTruncated).Value(at_);
    ++at_;
    return true;
  }

 private:
  template <class Array>
  const Array& column(int number) const {
    return static_cast<const Array&>(*batch_->column(number));
  }
  void check_schema(const arrow::Schema& schema) const {
    ShardForm form;
    form.dimension = dimension_;
    form.own_ids =
        schema.num_fields() > 0 && schema.field(kId)->type()->id() == arrow::Type::STRING;
    const auto wanted = schema_of(form, {});
    if (!schema.Equals(*wanted, false))
      throw std::runtime_error("the columns are not a shard's: " + schema.ToString() +
                               " instead of " + wanted->ToString());
  }
  bool next_batch() {
    at_ = 0;
    if (ipc_ != nullptr) {
      if (group_ == ipc_->num_record_batches()) return false;
      batch_ = need_value(ipc_->ReadRecordBatch(group_++));
    } else {
      if (group_ == parquet_->num_row_groups()) return false;
      const auto table = need_value(parquet_->ReadRowGroup(group_++));
      batch_ = need_value(table->CombineChunksToBatch());
    }
    need_ok(batch_->ValidateFull());
    for (const auto& array : batch_->columns()) {
      if (array->null_count() > 0) throw std::runtime_error("a column holds nulls");
    }
    return true;
  }

  int32_t dimension_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> ipc_;
  std::unique_ptr<parquet::arrow::FileReader> parquet_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  int group_ = 0;
  int64_t at_ = 0;
};

std::unique_ptr<ArrowSink> make_sink(const ShardForm& form, const KeysAndValues& metadata,
                                     const WriteBytes& write) {
  return std::make_unique<Sink>(form, metadata, write);
}
std::unique_ptr<ArrowSource> make_source(int descriptor, const std::string& format, int dimension) {
  return std::make_unique<Source>(descriptor, format, dimension);
}

}  // namespace
}  // namespace contrastive::cli

extern "C" __attribute__((visibility("default"))) const contrastive::cli::ArrowModule*
contrastive_arrow_module() {
  static const contrastive::cli::ArrowModule module = {contrastive::cli::kArrowModule,
                                                       ARROW_VERSION_STRING,
                                                       contrastive::cli::make_sink,
                                                       contrastive::cli::make_source};
  return &module;
}
