// Gzip files are unpacked once, into a temporary file without a name, and read from there like any
// other file.
//
// Why: training reads lines in a shuffled order. An index of points where inflating can begin
// (zran) would keep 32 KB for each point, and inflate half the distance between two points for
// every line: megabytes of work for each line, or half the text in memory. A copy on the disk costs
// one pass and its size, and each line costs one read.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/base/file.h"

namespace contrastive::data {

// Unpacks all members of a gzip file into an unnamed file in $TMPDIR (or /tmp), which disappears
// with its descriptor, whatever happens to this process. `path` is for error messages. Throws
// kCorrupt for a damaged or truncated file, kNoSpace if TMPDIR is full, kIo, kLimit above 1 TB,
// kCancelled.
Descriptor unpack_gzip(const Descriptor& file, const std::string& path,
                       const Cancel* cancel = nullptr);

}  // namespace contrastive::data
