#include "core/io/stored_zip.h"

#include "tests/core/io/files.h"
#include "tests/expect_error.h"
#include "tests/zip_bytes.h"

namespace contrastive::io {
namespace {

using test::write_text;

struct PlainFile : TensorFile {
  explicit PlainFile(const std::string& path) : TensorFile(path) {}
};

std::vector<ZipEntry> read(const std::string& bytes) {
  const TemporaryFolder folder;
  write_text(folder / "a.bin", bytes);
  return read_stored_zip(PlainFile(folder / "a.bin"));
}

ZipPart part_with(const std::function<void(ZipPart&)>& change) {
  ZipPart part{"a/0", "12345678"};
  change(part);
  return part;
}

TEST(StoredZip, FindsEntriesByTheirNames) {
  for (const bool zip64 : {false, true}) {
    ZipPart first{"a/z", "last by name"}, second{"a/b", "xy"};
    first.zip64 = second.zip64 = zip64;
    ZipEnd end;
    end.zip64 = zip64;
    const std::string bytes = zip_bytes({first, second, {"a/c", ""}}, end);
    const std::vector<ZipEntry> entries = read(bytes);
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].name, "a/b");
    EXPECT_EQ(bytes.substr(static_cast<size_t>(entries[0].offset),
                           static_cast<size_t>(entries[0].bytes)),
              "xy");
    EXPECT_EQ(entries[1].bytes, 0);
    EXPECT_EQ(bytes.substr(static_cast<size_t>(entries[2].offset),
                           static_cast<size_t>(entries[2].bytes)),
              "last by name");
  }
}

TEST(StoredZip, EveryLieIsNamed) {
  ZipPart other{"a/1", "12345678"};
  const struct {
    const char* name;
    std::string bytes;
    Status status;
    const char* message;
  } bad[] = {
      {"nothing", "", Status::kFormat, "0 bytes are too few"},
      {"no zip", std::string(40, 'x'), Status::kFormat, "the end of a zip file is missing"},
      {"compressed", zip_bytes({part_with([](ZipPart& part) { part.method = 8; })}),
       Status::kUnsupported, "'a/0' is compressed"},
      {"encrypted", zip_bytes({part_with([](ZipPart& part) { part.flags = 1; })}),
       Status::kUnsupported, "'a/0' is encrypted"},
      {"too large", zip_bytes({part_with([](ZipPart& part) { part.claimed = 9; })}),
       Status::kFormat, "'a/0' would end behind byte"},
      {"huge", zip_bytes({part_with([](ZipPart& part) {
         part.claimed = std::numeric_limits<int64_t>::max(), part.zip64 = true;
       })}),
       Status::kFormat, "'a/0' would end behind byte"},
      {"outside", zip_bytes({part_with([](ZipPart& part) { part.header = 1'000'000; })}),
       Status::kFormat, "'a/0' would end behind byte"},
      {"elsewhere", zip_bytes({part_with([](ZipPart& part) { part.header = 2; })}), Status::kFormat,
       "'a/0' has no header at byte 2"},
      {"another name", zip_bytes({part_with([](ZipPart& part) { part.local_name = "a/1"; })}),
       Status::kFormat, "'a/0' has another name at its own place"},
      {"twice", zip_bytes({part_with([](ZipPart&) {}), part_with([](ZipPart&) {})}),
       Status::kFormat, "'a/0' appears twice"},
      {"overlap", zip_bytes({part_with([](ZipPart& part) { part.claimed = 20; }), other}),
       Status::kFormat, "'a/1' overlaps 'a/0'"},
      {"one place for two",
       zip_bytes({part_with([](ZipPart&) {}), part_with([](ZipPart& part) { part.header = 0; })}),
       Status::kFormat, "overlaps"},
      {"more entries", zip_bytes({other}, {false, 1, 0, 0}), Status::kFormat,
       "2 entries do not fit"},
      {"fewer entries", zip_bytes({other, part_with([](ZipPart&) {})}, {false, -1, 0, 0}),
       Status::kFormat, "the zip directory holds more than its 1 entries"},
      {"directory elsewhere", zip_bytes({other}, {false, 0, -1, 0}), Status::kFormat,
       "does not end where"},
      {"directory of another length", zip_bytes({other}, {true, 0, 0, 5}), Status::kFormat,
       "does not end where"},
      {"directory of 2^63",
       zip_bytes({other}, {true, 0, 0, std::numeric_limits<int64_t>::max() - 100}), Status::kLimit,
       "above the limit of 67108864"},
  };
  for (const auto& file : bad) {
    SCOPED_TRACE(file.name);
    expect_error(file.status, file.message, [&] { read(file.bytes); });
  }
}

TEST(StoredZip, CutAnywhereItIsRefused) {
  const std::string bytes = zip_bytes({{"a/0", "12345678"}, {"a/1", ""}}, {true, 0, 0, 0});
  for (size_t length = 0; length < bytes.size(); ++length) {
    SCOPED_TRACE(length);
    expect_error(Status::kFormat, "a.bin", [&] { read(bytes.substr(0, length)); });
  }
}

}  // namespace
}  // namespace contrastive::io
