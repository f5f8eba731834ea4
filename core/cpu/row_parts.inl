// Vectors in memory, and the last part of a row that does not fill a vector. Included after the
// set's vectors.

inline Vec load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
inline void store(float* p, Vec v) { __builtin_memcpy(p, &v, sizeof(v)); }
// The first `count` floats at p, 1 <= count <= kLanes; the other lanes are 0.
inline Vec load_part(const float* p, int64_t count) {
  if (count == kLanes) return load(p);
  Vec v{};
  __builtin_memcpy(&v, p, static_cast<size_t>(count) * sizeof(float));
  return v;
}
inline void store_part(float* p, Vec v, int64_t count) {
  if (count == kLanes) return store(p, v);
  __builtin_memcpy(p, &v, static_cast<size_t>(count) * sizeof(float));
}
// Lanes from `count` on set to 0.
inline Vec trim(Vec v, int64_t count) {
  if (count == kLanes) return v;
  Vec result{};
  __builtin_memcpy(&result, &v, static_cast<size_t>(count) * sizeof(float));
  return result;
}
inline int64_t part(int64_t i, int64_t width) { return width - i < kLanes ? width - i : kLanes; }
