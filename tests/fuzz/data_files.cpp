// Training data: text, TSV, JSONL, and gzip files of these.
#include <zlib.h>

#include <cmath>

#include "core/data/dataset.h"
#include "core/data/line_reader.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

std::string gzipped(std::string_view bytes) {
  std::string packed(compressBound(bytes.size()) + 64, '\0');
  z_stream stream{};
  expect(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK,
         "deflateInit2");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  expect(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflate");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

bool same(const data::Example& x, const data::Example& y) {
  return x.a == y.a && x.b == y.b && x.has_b == y.has_b && x.negatives == y.negatives &&
         (x.label == y.label || (std::isnan(x.label) && std::isnan(y.label)));
}

}  // namespace

// The input has two pieces: keys "data.*" as JSON, and the file.
FUZZ_TARGET(data_file) {
  const auto parts = pieces(bytes, 2);
  Config config;
  if (!accepted([&] { config = Config::parse(parts[0]); }, {Status::kArgument})) return;
  const MemoryFolder folder;
  const std::string path = folder.write("data.tsv", parts[1]),
                    packed = folder.write("data.tsv.gz", gzipped(parts[1]));
  std::shared_ptr<data::Dataset> dataset, unpacked;
  const bool ok =
      accepted([&] { dataset = data::open_dataset(path, config); }, {Status::kArgument});
  const bool ok_packed =
      accepted([&] { unpacked = data::open_dataset(packed, config); }, {Status::kArgument});
  expect(parts[1].compare(0, 2, "\x1f\x8b") == 0 || ok == ok_packed,
         "a file is accepted, but refused if it is compressed");
  if (!ok || !ok_packed) return;
  expect(dataset->size() >= 0 && dataset->size() == unpacked->size(),
         "a compressed file has another number of examples");
  expect(dataset->report().lines >= dataset->size(), "more examples than lines");
  for (int64_t i = 0; i < std::min<int64_t>(dataset->size(), 50); ++i) {
    const data::Example example = dataset->get(i);
    expect(same(example, unpacked->get(i)), "a compressed file has another example");
    expect(example.has_b || example.b.empty(), "a text b without has_b");
    expect(dataset->where(i).find("data.tsv:") != std::string::npos,
           "an example without a position");
  }
  expect(!accepted([&] { dataset->get(dataset->size()); }, {Status::kArgument}),
         "an example beyond the last one");
  dataset->check_unchanged();
  expect(data::open_dataset(path, config)->fingerprint() == dataset->fingerprint(),
         "one file has two fingerprints");
}

// Lines of the raw bytes, compressed or not, must follow each other.
FUZZ_TARGET(lines) {
  const MemoryFolder folder;
  const std::string path = folder.write("lines", bytes);
  accepted([&] {
    data::LineReader reader(path);
    int64_t number = 0, end = 0;
    reader.scan([&](const data::Line& line) {
      expect(line.number == ++number && line.begin >= end, "lines out of order");
      end = line.begin + static_cast<int64_t>(line.text.size());
      expect(end <= reader.bytes() && line.text.find('\n') == std::string_view::npos,
             "an invalid line");
      expect(reader.read(line.begin, static_cast<int64_t>(line.text.size())) == line.text,
             "a line read by its position differs");
    });
    expect(static_cast<int64_t>(reader.read(0, reader.bytes()).size()) == reader.bytes(),
           "bytes of another length than the file");
    reader.check_length();
  });
}

}  // namespace contrastive::fuzz
