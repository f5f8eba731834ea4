// Attention within packed texts on token panels. A text may begin and end in the middle of a panel:
// queries of other texts that share it are computed too and not stored, keys are read one by one.
// Included after vector_math.inl.

constexpr int64_t kKeyGrain = 4;  // keys are multiplied in aligned groups of 4, or of kManyKeys
constexpr int kManyKeys = kLanes >= 16 ? 8 : 4;
constexpr int kValueRows = kLanes >= 16 ? 8 : 4;

// One text's head and the P query panels that are being computed. Score rows are counted from
// `first_key`, the text's first key rounded down to kKeyGrain.
struct AttentionTile {
  const AttentionTask& task;
  int64_t head, begin, end, panel, first_key;
  const float* keys(const float* base, int64_t token) const {
    return base + token / kLanes * task.stride + head * task.head_width * kLanes;
  }
};

// scores[key][P][lanes] = k . q for the R keys from `key` on, which are in one panel.
template <int R, int P>
void query_key_tile(const AttentionTile& a, int64_t key) {
  Vec sums[R][P] = {};
  const float* k = a.keys(a.task.k, key) + key % kLanes;
  const float* q = a.keys(a.task.q, a.panel * kLanes);
  for (int64_t d = 0; d < a.task.head_width; ++d) {
    Vec queries[P];
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) queries[p] = load(q + p * a.task.stride + d * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Vec value = splat(k[d * kLanes + r]);
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) sums[r][p] = fma(value, queries[p], sums[r][p]);
    }
  }
  float* out = a.task.scores + (key - a.first_key) * P * kLanes;
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) store(out + (r * P + p) * kLanes, sums[r][p]);
  }
}

// Turns scores into exp(scale * (score - largest)); the sums' reciprocals go to `scales`.
template <int P>
void soften(const AttentionTile& a, Vec* scales) {
  float scale =
      a.task.scale > 0
          ? a.task.scale
          : static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a.task.head_width)));
  float* scores = a.task.scores + (a.begin - a.first_key) * P * kLanes;
  const int64_t keys = a.end - a.begin;
  if (a.task.bias != nullptr) {
    const float* bias = a.task.bias + a.head * a.task.bias_stride + a.panel * kLanes -
                        a.begin;  // of the first lane's query and the first key
    for (int64_t j = 0; j < keys; ++j) {
      for (int p = 0; p < P; ++p) {
        float* row = scores + (j * P + p) * kLanes;
        store(row, fma(load(row), splat(scale), load(bias + p * kLanes - j)));
      }
    }
    scale = 1;
  }
  Vec largest[P], sum[P] = {};
  for (int p = 0; p < P; ++p) largest[p] = load(scores + p * kLanes);
  for (int64_t j = 1; j < keys; ++j) {
    for (int p = 0; p < P; ++p)
      largest[p] = larger(largest[p], load(scores + (j * P + p) * kLanes));
  }
  for (int64_t j = 0; j < keys; ++j) {
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) {
      const Vec e = exponential((load(scores + (j * P + p) * kLanes) - largest[p]) * scale);
      sum[p] += e;
      store(scores + (j * P + p) * kLanes, e);
    }
  }
  for (int p = 0; p < P; ++p) scales[p] = 1.0f / sum[p];
}

// out rows [row, row + R) of the head: the values' sum weighted by the scores, stored for the
// text's own tokens only.
template <int R, int P>
void value_tile(const AttentionTile& a, int64_t row, const Vec* scales, int64_t store_end) {
  Vec sums[R][P] = {};
  for (int64_t key = a.begin; key < a.end;) {
    const int64_t panel_end = (key / kLanes + 1) * kLanes;
    const int64_t stop = panel_end < a.end ? panel_end : a.end;
    const float* v = a.keys(a.task.v, key) + row * kLanes - key / kLanes * kLanes;
    for (; key < stop; ++key) {
      const float* weights = a.task.scores + (key - a.first_key) * P * kLanes;
      Vec weight[P];
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) weight[p] = load(weights + p * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Vec value = splat(v[r * kLanes + key]);
#pragma GCC unroll 2
        for (int p = 0; p < P; ++p) sums[r][p] = fma(value, weight[p], sums[r][p]);
      }
    }
  }
#pragma GCC unroll 2
  for (int p = 0; p < P; ++p) {
    const int64_t first = (a.panel + p) * kLanes;
    float* out = a.task.out + (a.panel + p) * a.task.out_stride +
                 (a.head * a.task.head_width + row) * kLanes;
    const bool whole = a.begin <= first && first + kLanes <= store_end;
    for (int r = 0; r < R; ++r) {
      const Vec value = sums[r][p] * scales[p];
      if (whole) {
        store(out + r * kLanes, value);
        continue;
      }
      const int64_t stop = store_end - first < kLanes ? store_end - first : kLanes;
      for (int64_t lane = a.begin > first ? a.begin - first : 0; lane < stop; ++lane)
        out[r * kLanes + lane] = value[lane];
    }
  }
}

template <int P>
void attend_panels(const AttentionTile& a, int64_t store_end) {
  for (int64_t key = a.first_key; key < a.end;) {
    const int64_t panel_end = (key / kLanes + 1) * kLanes;
    if (key + kManyKeys <= panel_end && key + kKeyGrain < a.end) {
      query_key_tile<kManyKeys, P>(a, key);
      key += kManyKeys;
    } else {
      query_key_tile<kKeyGrain, P>(a, key);
      key += kKeyGrain;
    }
  }
  Vec scales[P];
  soften<P>(a, scales);
  int64_t row = 0;
  for (; row + kValueRows <= a.task.head_width; row += kValueRows)
    value_tile<kValueRows, P>(a, row, scales, store_end);
  for (; row < a.task.head_width; ++row) value_tile<1, P>(a, row, scales, store_end);
}

void attention(const AttentionTask& t) {
  for (int64_t text = 0; text < t.texts; ++text) {
    const int64_t begin = t.offsets[text], end = t.offsets[text + 1];
    const int64_t first = begin / kLanes, last = (end - 1) / kLanes;
    // The last text also fills the lanes after it, so that they hold finite numbers.
    const int64_t store_end = text + 1 == t.texts ? (last + 1) * kLanes : end;
    for (int64_t head = t.head_begin; head < t.head_end; ++head) {
      for (int64_t panel = first; panel <= last; panel += 2) {
        const AttentionTile tile{t, head, begin, end, panel, begin / kKeyGrain * kKeyGrain};
        if (panel < last) attend_panels<2>(tile, store_end);
        else attend_panels<1>(tile, store_end);
      }
    }
  }
}
