#include "core/text/edges.h"

#include "core/text/added_tokens.h"

namespace contrastive::text {

bool Strip::apply(const NormalizedText& in, int64_t, bool, NormalizedText& out) const {
  const std::string_view text = in.bytes;
  const size_t begin = left_ ? skip_space(text, 0) : 0,
               end = right_ ? skip_space_back(text, text.size(), begin) : text.size();
  if (begin == 0 && end == text.size()) return false;
  clear_text(out);
  append_text(in, begin, end, out);
  out.bytes = out.storage;
  return true;
}

// The prepended text has the position of the first character.
bool Prepend::apply(const NormalizedText& in, int64_t, bool aligned, NormalizedText& out) const {
  if (in.bytes.empty() || content_.empty()) return false;
  clear_text(out);
  out.storage = content_;
  if (aligned) {
    out.begins.assign(content_.size(), in.begins.front());
    out.ends.assign(content_.size(), in.ends.front());
  }
  append_text(in, 0, in.bytes.size(), out);
  out.bytes = out.storage;
  return true;
}

bool Append::apply(const NormalizedText& in, int64_t shift, bool aligned,
                   NormalizedText& out) const {
  if (content_.empty()) return false;
  clear_text(out);
  append_text(in, 0, in.bytes.size(), out);
  out.storage += content_;
  if (aligned) {
    out.begins.resize(out.storage.size(), in.begins.empty() ? shift : in.begins.back());
    out.ends.resize(out.storage.size(), in.ends.empty() ? shift : in.ends.back());
  }
  out.bytes = out.storage;
  return true;
}

}  // namespace contrastive::text
