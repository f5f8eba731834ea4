#include "core/text/byte_stand_ins.h"

#include <algorithm>

#include "core/text/byte_bpe.h"

namespace contrastive::text {

// A printable character has the position of its byte, which is that of the whole source character.
bool ByteStandIns::apply(const NormalizedText& in, int64_t, bool aligned,
                         NormalizedText& out) const {
  const auto stands_for_itself = [](char byte) { return byte > ' ' && byte < '\x7F'; };
  if (std::all_of(in.bytes.begin(), in.bytes.end(), stands_for_itself)) return false;
  clear_text(out);
  for (size_t at = 0; at < in.bytes.size(); ++at) {
    out.storage += byte_characters()[static_cast<unsigned char>(in.bytes[at])];
    if (!aligned) continue;
    out.begins.resize(out.storage.size(), in.begins[at]);
    out.ends.resize(out.storage.size(), in.ends[at]);
  }
  out.bytes = out.storage;
  return true;
}

}  // namespace contrastive::text
