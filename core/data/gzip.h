// Gzip files are unpacked once, into a temporary file without a name, and read from there like any
// other.
//
// Training reads lines in a shuffled order. An index of points from which inflating can begin
// (zran) would keep 32 KB for each and inflate half the distance between two of them for every
// single line: megabytes of work a line, or half the text in memory. A copy on the disk costs one
// pass and its size, and a line costs one read.
#pragma once

#include <string>
#include <string_view>

#include "core/base/cancel.h"
#include "core/base/file.h"

namespace contrastive::data {

bool is_gzip(std::string_view head);  // the first two bytes are enough

// The unpacked bytes of a gzip file; all members of it. They lie in $TMPDIR (or /tmp) and vanish
// with the descriptor, whatever happens to this process. `path` is for messages. kCorrupt for a
// damaged or cut file, kNoSpace when TMPDIR is full, kIo, kLimit above 1 TB, kCancelled.
Descriptor unpack_gzip(const Descriptor& file, const std::string& path,
                       const Cancel* cancel = nullptr);

}  // namespace contrastive::data
