// The kernels of device_dropout.h, in the part of CUDA's C++ that Clang compiles without NVIDIA's
// headers: packaging/ptx.sh makes device_dropout_ptx.inl of it. The tests compile it for the host
// as well, where KERNEL, INLINE and thread_number() are their own.
//
// A draw is that of core/base/rng.h, so that a mask has the same bits on every device.
#ifndef KERNEL
#define KERNEL extern "C" __attribute__((global)) void
#define INLINE static inline __attribute__((device))
INLINE unsigned long long thread_number() {
  return static_cast<unsigned long long>(__nvvm_read_ptx_sreg_ctaid_x()) *
             __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}
#endif

using Word = unsigned int;
using Long = unsigned long long;
using Byte = unsigned char;

constexpr int kDraws = 4;  // of one block of Philox, which one thread computes

INLINE Long mixed(Long x) {  // splitmix64's finaliser
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Byte i of the result is 1 where draw 4 * block + i of the stream is not below `threshold`.
// `seed`: with the purpose's number in its upper half. `epoch`: with the number of the place in the
// network and of the place in the text in its lower half.
INLINE Word draw(Long seed, Long epoch, Long example, Long block, Word threshold) {
  const Long key = mixed(seed ^ mixed(epoch + 0x9e3779b97f4a7c15ULL));
  Word c0 = static_cast<Word>(block), c1 = static_cast<Word>(block >> 32),
       c2 = static_cast<Word>(example), c3 = static_cast<Word>(example >> 32);
  Word k0 = static_cast<Word>(key), k1 = static_cast<Word>(key >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9U, k1 += 0xBB67AE85U) {
    const Long p0 = static_cast<Long>(0xD2511F53U) * c0, p1 = static_cast<Long>(0xCD9E8D57U) * c2;
    c0 = static_cast<Word>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<Word>(p1);
    c2 = static_cast<Word>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<Word>(p0);
  }
  const auto kept = [threshold](Word value) { return static_cast<Word>(value >= threshold); };
  return kept(c0) | kept(c1) << 8 | kept(c2) << 16 | kept(c3) << 24;
}

// `tokens`: [4, count] example, place in its text, number of its text in the batch and length of
// its text.

// kept [count, width]. A thread for each (width + 3) / 4 of each token.
KERNEL draw_rows(Byte* kept, const Long* tokens, Long count, Long width, Long seed, Long epoch,
                 Word threshold) {
  const Long blocks = (width + kDraws - 1) / kDraws, thread = thread_number(),
             token = thread / blocks, block = thread - token * blocks;
  if (token >= count) return;
  Word drawn = draw(seed, epoch | tokens[count + token], tokens[token], block, threshold);
  if (width % kDraws == 0) {
    reinterpret_cast<Word*>(kept)[thread] = drawn;
    return;
  }
  for (Long column = block * kDraws, end = column + kDraws; column < end && column < width;
       ++column, drawn >>= 8) {
    kept[token * width + column] = static_cast<Byte>(drawn);
  }
}

// kept [texts, heads, longest, longest], of which the places behind a text's last token are left
// alone. A token's draws are those of its first head's keys, then of its second's. A thread for
// each (heads * longest + 3) / 4 of each token.
KERNEL draw_attention(Byte* kept, const Long* tokens, Long count, Long heads, Long longest,
                      Long seed, Long epoch, Word threshold) {
  const Long blocks = (heads * longest + kDraws - 1) / kDraws, thread = thread_number(),
             token = thread / blocks, block = thread - token * blocks;
  if (token >= count) return;
  const Long place = tokens[count + token], text = tokens[2 * count + token],
             length = tokens[3 * count + token];
  if (block * kDraws >= heads * length) return;
  Word drawn = draw(seed, epoch | place, tokens[token], block, threshold);
  Long head = block * kDraws / length, key = block * kDraws - head * length;
  for (int i = 0; i < kDraws && head < heads; ++i, drawn >>= 8) {
    kept[((text * heads + head) * longest + place) * longest + key] = static_cast<Byte>(drawn);
    if (++key == length) {
      key = 0;
      ++head;
    }
  }
}
