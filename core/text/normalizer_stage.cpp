#include "core/text/normalizer_stage.h"

#include <algorithm>

#include "core/text/utf8.h"

namespace contrastive::text {

void apply_changes(const NormalizedText& in, const std::vector<CharacterChange>& changes,
                   size_t removed, int64_t shift, bool aligned, NormalizedText& out) {
  clear_text(out);
  size_t at = 0;  // the end of the source characters that have a position in the result
  const auto skip = [&](size_t count) {
    for (; count > 0 && at < in.bytes.size(); --count) decode_valid(in.bytes, at);
  };
  if (aligned) skip(removed);
  for (const CharacterChange& each : changes) {
    append_utf8(each.c, out.storage);
    if (!aligned) continue;
    int64_t begin = shift, end = shift;
    if (each.change <= 0 && !in.bytes.empty()) {
      const size_t source = std::min(at, in.bytes.size() - 1);
      begin = in.begins[source];
      end = in.ends[source];
      skip(static_cast<size_t>(1 - each.change));
    } else if (at > 0) {
      begin = in.begins[at - 1];
      end = in.ends[at - 1];
    }
    out.begins.resize(out.storage.size(), begin);
    out.ends.resize(out.storage.size(), end);
  }
  out.bytes = out.storage;
}

void append_text(const NormalizedText& in, size_t begin, size_t end, NormalizedText& out) {
  out.storage.append(in.bytes.substr(begin, end - begin));
  if (in.begins.empty()) return;
  const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
  out.begins.insert(out.begins.end(), in.begins.begin() + from, in.begins.begin() + to);
  out.ends.insert(out.ends.end(), in.ends.begin() + from, in.ends.begin() + to);
}

}  // namespace contrastive::text
