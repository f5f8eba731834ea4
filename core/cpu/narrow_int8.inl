// int8 for narrow.h: rounding tokens, and what narrow_linear.inl needs of a format. Included after
// vector_math.inl and the set's own Group, group_of(), dot(), rounded(), kNarrowRows and
// kUnsignedTokens (if false, a token's bytes are stored minus 128).

constexpr Narrow kFormat = Narrow::kInt8;
constexpr int64_t kBytesEach = 1;
using Sum = Ints;

inline Ints first_sums(const NarrowLinearTask& t, int64_t row) {
  return Ints{} + (kUnsignedTokens ? 0 : 128 * t.weight_sums[row]);
}
inline Vec finish(const NarrowLinearTask& t, int64_t panel, int64_t row, Ints sums) {
  Ints zeros;
  __builtin_memcpy(&zeros, t.x_zeros + panel * kLanes, sizeof(zeros));
  return __builtin_convertvector(sums - zeros * t.weight_sums[row], Vec) *
         (load(t.x_scales + panel * kLanes) * t.weight_scales[row]);
}

// The largest and the smallest number of each token and 0. If the bits of floats are compared as
// signed numbers, the largest is last; as unsigned numbers, the smallest is last. NaN comes after
// infinity of the same sign, so it is not lost.
struct Extremes {
  Ints largest{};
  UInts smallest{};
  void add(const float* x) {
    Ints bits;
    __builtin_memcpy(&bits, x, sizeof(bits));
    largest = bits > largest ? bits : largest;
    const UInts same = reinterpret_cast<UInts>(bits);
    smallest = same > smallest ? same : smallest;
  }
  void add(const Extremes& other) {
    largest = other.largest > largest ? other.largest : largest;
    smallest = other.smallest > smallest ? other.smallest : smallest;
  }
};

inline Ints byte_of(const float* x, Vec inverse, Ints zero) {
  return rounded(load(x) * inverse) + zero;
}

void narrow_panel(const float* x, int64_t width, uint8_t* out, float* scales, int32_t* zeros) {
  Extremes extremes[4];
  int64_t i = 0;
  for (; i + 4 <= width; i += 4) {
#pragma GCC unroll 4
    for (int64_t j = 0; j < 4; ++j) extremes[j].add(x + (i + j) * kLanes);
  }
  for (; i < width; ++i) extremes[0].add(x + i * kLanes);
#pragma GCC unroll 3
  for (int j = 1; j < 4; ++j) extremes[0].add(extremes[j]);
  Vec largest, smallest;
  __builtin_memcpy(&largest, &extremes[0].largest, sizeof(largest));
  __builtin_memcpy(&smallest, &extremes[0].smallest, sizeof(smallest));
  smallest = smallest > 0.0f ? Vec{} : smallest;  // all were above 0
  const Vec range = largest - smallest;
  // Infinity becomes NaN, because its true value is unknown. A token of almost nothing becomes 0.
  // One of the 255 steps is spare, so that both ends may be rounded outwards.
  store(scales, (range + (range - range)) * (1.0f / 254.0f));
  const Vec inverse = range > 1e-30f ? 254.0f / range : Vec{};
  const Ints zero = rounded(smallest * inverse * -1.0f) & 0xff;
  __builtin_memcpy(zeros, &zero, sizeof(zero));
  constexpr int32_t kFlip = kUnsignedTokens ? 0 : static_cast<int32_t>(0x80808080);
  for (i = 0; i < width; i += 4, x += 4 * kLanes, out += 4 * kLanes) {
    Ints group{};
    if (i + 4 <= width) {
      group = (byte_of(x, inverse, zero) | byte_of(x + kLanes, inverse, zero) << 8) |
              (byte_of(x + 2 * kLanes, inverse, zero) << 16 | byte_of(x + 3 * kLanes, inverse, zero)
                                                                  << 24);
    } else {
      for (int64_t j = 0; i + j < width; ++j)
        group |= byte_of(x + j * kLanes, inverse, zero) << static_cast<int32_t>(8 * j);
    }
    group ^= kFlip;
    __builtin_memcpy(out, &group, sizeof(group));
  }
}

void narrow(const NarrowTask& t) {
  for (int64_t panel = 0; panel < t.panels; ++panel) {
    narrow_panel(t.x + panel * t.x_stride, t.width, t.out + panel * t.out_stride,
                 t.scales + panel * kLanes, t.zeros + panel * kLanes);
  }
}
