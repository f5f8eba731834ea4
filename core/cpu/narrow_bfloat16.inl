// bfloat16 for narrow.h: rounding tokens, and what narrow_linear.inl needs of a format. Included
// after vector_math.inl and the set's own Group, group_of(), dot() and kNarrowRows.

constexpr Narrow kFormat = Narrow::kBfloat16;
constexpr int64_t kBytesEach = 2;
using Sum = Vec;

inline Vec first_sums(const NarrowLinearTask&, int64_t) { return Vec{}; }
inline Vec finish(const NarrowLinearTask&, int64_t, int64_t, Vec sums) { return sums; }

// Rounded to nearest, ties to even, in the upper 16 bits. NaN stays NaN: its quiet bit is set and
// no carry reaches it.
inline UInts upper(Vec x) {
  UInts bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  const UInts even = bits + 0x7fff + (bits >> 16 & 1);
  return (x == x ? even : bits | 0x400000) & 0xffff0000;
}

void narrow(const NarrowTask& t) {
  for (int64_t panel = 0; panel < t.panels; ++panel) {
    const float* x = t.x + panel * t.x_stride;
    uint8_t* out = t.out + panel * t.out_stride;
    for (int64_t i = 0; i < t.width; i += 2, x += 2 * kLanes, out += 4 * kLanes) {
      const UInts pair =
          upper(load(x)) >> 16 | (i + 1 < t.width ? upper(load(x + kLanes)) : UInts{});
      __builtin_memcpy(out, &pair, sizeof(pair));
    }
  }
}
