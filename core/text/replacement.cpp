#include "core/text/replacement.h"

#include "core/system/per_thread.h"

namespace contrastive::text {

// The inserted text has the position of the last byte of the match.
bool Replacement::apply(const NormalizedText& in, int64_t shift, bool aligned,
                        NormalizedText& out) const {
  static const system::PerThread<std::vector<Span>> spans;
  std::vector<Span>& matches = spans.here();
  matches.clear();
  pattern_->find(in.bytes, matches);
  if (matches.empty()) return false;
  clear_text(out);
  size_t done = 0;
  for (const Span& match : matches) {
    append_text(in, done, match.begin, out);
    out.storage += content_;
    if (aligned) {
      out.begins.resize(out.storage.size(), match.end == 0 ? shift : in.begins[match.end - 1]);
      out.ends.resize(out.storage.size(), match.end == 0 ? shift : in.ends[match.end - 1]);
    }
    done = match.end;
  }
  append_text(in, done, in.bytes.size(), out);
  out.bytes = out.storage;
  constexpr size_t kKept = 1 << 16;
  if (matches.capacity() > kKept) matches = {};
  return true;
}

}  // namespace contrastive::text
