// An optimizer's update: Adam's step on one range of a parameter in one pass over memory, and
// checks of a gradient. Included after row_parts.inl.

void adam(const AdamTask& t) {
  for (int64_t i = 0; i < t.count; i += kLanes) {
    const int64_t n = part(i, t.count);
    Vec p = load_part(t.parameter + i, n);
    const Vec g = fma(p, splat(t.l2), load_part(t.gradient + i, n) * t.gradient_scale);
    const Vec m = fma(load_part(t.mean + i, n), splat(t.beta1), g * t.fresh1);
    const Vec v = fma(load_part(t.square + i, n), splat(t.beta2), g * g * t.fresh2);
    store_part(t.mean + i, m, n);
    store_part(t.square + i, v, n);
    p = p * t.before - t.rate * m / fma(root(v), splat(t.root_scale), splat(t.eps));
    store_part(t.parameter + i, p * t.after, n);
  }
}

bool is_zero(const float* x, int64_t count) {
  Ints any{};
  for (int64_t i = 0; i < count; i += kLanes)
    any |= load_part(x + i, part(i, count)) != 0.0f;  // NaN is not 0
  int32_t all = 0;
  for (int lane = 0; lane < kLanes; ++lane) all |= any[lane];
  return all == 0;
}

float sum_of_squares(const float* x, int64_t count) {
  Vec sums[4] = {};
  for (int64_t i = 0; i < count; i += kLanes) {
    const Vec v = load_part(x + i, part(i, count));
    sums[i / kLanes % 4] = fma(v, v, sums[i / kLanes % 4]);
  }
  return sum_of_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}
