#include "core/data/gzip.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/temporary.h"
#include "core/data/gunzip.h"

namespace contrastive::data {
namespace {

constexpr size_t kBlock = size_t{1} << 18;
constexpr int64_t kMostUnpackedBytes = int64_t{1} << 40;

// Opens a file without a name, so that nothing remains if the process is killed.
Descriptor open_unnamed(const std::string& folder) {
  Descriptor file = create_unnamed_file(folder);
  if (file) return file;
  try {  // not every file system supports unnamed files
    const TemporaryFile named(folder + "/contrastive-unpacked");
    return Descriptor(system::duplicate(named.descriptor()));
  } catch (const Error& error) {
    fail(error.status(), folder,
         ": no temporary file can be made to unpack into (TMPDIR names the folder): ",
         error.what());
  }
}

}  // namespace

Descriptor unpack_gzip(const Descriptor& file, const std::string& path, const Cancel* cancel) {
  Descriptor out = open_unnamed(temporary_folder());
  const std::string target =
      cat(path, ", unpacked into ", temporary_folder(), " (TMPDIR names another folder)");
  Gunzip gunzip(path);
  std::string packed(kBlock, '\0');
  int64_t offset = 0, written = 0;
  while (const int64_t count =
             read_up_to(file.get(), packed.data(), static_cast<int64_t>(kBlock), offset, path)) {
    offset += count;
    gunzip.feed({packed.data(), static_cast<size_t>(count)});
    throw_if_cancelled(cancel);
    for (std::string_view plain = gunzip.next(); !plain.empty(); plain = gunzip.next()) {
      throw_if_cancelled(cancel);
      write_all(out.get(), plain, target);
      written += static_cast<int64_t>(plain.size());
      check(written < kMostUnpackedBytes, Status::kLimit, path,
            ": above the limit of 1 TB when it is unpacked");
    }
  }
  gunzip.finish();
  return out;
}

}  // namespace contrastive::data
