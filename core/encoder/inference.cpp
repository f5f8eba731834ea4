#include "core/encoder/inference.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/encoder/panel_places.h"
#include "core/encoder/scratch.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::encoder {

namespace {

using cpu::EncodeKernels;
using cpu::NarrowKernels;

// The number of tokens whose feed-forward states (intermediate_size numbers each) are kept at a
// time. They stay in the second-level cache between the two products.
constexpr int64_t kFeedForwardTokens = 128;
// In a batch of at most this many panels, the empty lanes of the last panel cost enough that its
// tokens are multiplied separately.
constexpr int64_t kMostPanelsWithTail = 4;

// A step with less work than this is not worth waking another thread: about ten microseconds.
constexpr int64_t kSmallProduct = int64_t{1} << 19;  // multiplications
constexpr int64_t kSmallSweep = int64_t{1} << 14;    // numbers that are read and written once
// A step has one part for each thread, or up to kPartsPerThread for each thread as long as a part
// is at least kLargePart times the minimum above. If a thread then starts late or loses its
// processor, the others take over its parts. Smaller parts are slower, because each begins with
// weights that are not in its cache.
constexpr int64_t kPartsPerThread = 4, kLargePart = 16;

// The forward pass of one batch: the buffers and the steps. The steps run one after the other, and
// threads share the parts of each step.
//
// With narrow kernels a product reads a rounded copy of its states. The thread that computes a
// token's states also rounds them. If a part is some rows of every token, rounding is a separate
// step.
class Pass {
 public:
  Pass(const Architecture& architecture, const InferenceWeights& weights,
       const PackedTokens& tokens, const EncodeKernels& kernels, const NarrowKernels* narrow,
       int most_threads)
      : o_(architecture), w_(weights), tokens_(tokens), k_(kernels), n_(narrow),
        most_threads_(most_threads), rows_(tokens.tokens()), panels_(kernels.panels(rows_)),
        places_(architecture, weights.relative_bias, tokens, kernels.lanes),
        scratch_(floats(architecture, tokens, kernels, narrow)) {
    const int64_t hidden = panels_ * o_.hidden_size * k_.lanes;
    states_ = scratch_.take(hidden);
    attended_ = scratch_.take(hidden);
    summed_ = scratch_.take(hidden);
    qkv_ = scratch_.take(3 * hidden);
    widened_ = scratch_.take(block_panels() * o_.intermediate_size * k_.lanes);
    if (o_.gated) gates_ = scratch_.take(block_panels() * o_.intermediate_size * k_.lanes);
    if (o_.norm_place == NormPlace::kBefore) normed_ = scratch_.take(hidden);
    if (o_.max_position_embeddings > 0) positions_ = position_rows(architecture, tokens);
    if (n_ != nullptr) {
      rounded_ = take_rounded(panels_, o_.hidden_size);
      rounded_widened_ = take_rounded(block_panels(), o_.intermediate_size);
    }
    longest_ = longest(tokens);
    const int64_t last = tokens.tokens() - (panels_ - 1) * k_.lanes;
    if (n_ == nullptr && panels_ <= kMostPanelsWithTail && 2 * last <= k_.lanes) tail_ = last;
  }

  void embed() {
    const EmbeddingView& w = w_.embeddings;
    each_part(panels_, 1, panels_ * panel_size(), kSmallSweep, [&](const Part& part) {
      Scratch row(o_.hidden_size);
      float* const word = row.take(o_.hidden_size);
      for (int64_t panel = part.begin; panel < part.end; ++panel) embed_panel(w, panel, word);
      if (o_.embedding_norm) normalize(w.norm, states_, states_, part);
    });
    if (!o_.embedding_norm && n_ != nullptr) round_all(states_, o_.hidden_size, rounded_, panels_);
  }

  void layer(int64_t layer, bool first_only) {
    const LayerView& w = w_.layers[static_cast<size_t>(o_.weight_set(layer))];
    const float* before = states_;
    if (o_.has_norm_before_attention(layer)) {
      normalize(w.attention_input_norm, states_, normed_);
      before = normed_;
    }
    attend(w, before, layer);
    if (first_only) keep_first_tokens();
    if (n_ != nullptr) round_all(attended_, o_.hidden_size, rounded_, panels_);
    product(w.attention_output, attended_, rounded_, states_, summed_, 0, panels_, o_.hidden_size,
            o_.hidden_size);
    const float* between = summed_;
    if (o_.norm_place == NormPlace::kAfter) {
      normalize(w.attention_norm, summed_, summed_);
    } else {
      normalize(w.intermediate_input_norm, summed_, normed_);
      between = normed_;
    }
    for (int64_t begin = 0; begin < panels_; begin += block_panels())
      feed_forward(w, between, begin, std::min(panels_, begin + block_panels()));
    if (o_.norm_place == NormPlace::kAfter) normalize(w.output_norm, states_, states_);
    if (layer + 1 == o_.num_hidden_layers && o_.final_norm)
      normalize(w_.final_norm, states_, states_);
  }

  // states_ as rows, in a buffer that attention does not use between layers.
  const float* rows() {
    each_part(rows_, k_.lanes, rows_ * o_.hidden_size, kSmallSweep, [&](const Part& part) {
      for (int64_t t = part.begin; t < part.end; ++t) {
        const float* from = states_ + t / k_.lanes * panel_size() + t % k_.lanes;
        for (int64_t i = 0; i < o_.hidden_size; ++i)
          summed_[t * o_.hidden_size + i] = from[i * k_.lanes];
      }
    });
    return summed_;
  }

  // Whether layer() can continue with the first tokens only. A product sums a token of the tail in
  // another order, so a first token must be in the tail either both before and after, or never.
  bool can_keep_first_tokens() const {
    for (int64_t i = 0; i < tokens_.texts; ++i) {
      if (tokens_.length(i) == 0) return false;
    }
    return tail_ == 0 || panels_ == 1 ||
           tokens_.offsets[tokens_.texts - 1] < (panels_ - 1) * k_.lanes;
  }

 private:
  // After the attention, nothing mixes tokens. From here on, the attended states and the layer's
  // input are those of the first token of text 0, text 1, ...
  void keep_first_tokens() {
    for (float* states : {attended_, states_}) {
      for (int64_t text = 1; text < tokens_.texts; ++text) {  // moves each forward, or leaves it
        const int64_t token = tokens_.offsets[text];
        const float* from = states + token / k_.lanes * panel_size() + token % k_.lanes;
        float* to = states + text / k_.lanes * panel_size() + text % k_.lanes;
        for (int64_t i = 0; i < o_.hidden_size; ++i) to[i * k_.lanes] = from[i * k_.lanes];
      }
    }
    tail_ = tail_ > 0 && panels_ == 1 ? tokens_.texts : 0;
    rows_ = tokens_.texts;
    panels_ = k_.panels(rows_);
  }

  // The items [begin, end) of a step.
  struct Part {
    int64_t begin, end;
  };

  // Calls run(part) for parts that together cover `count` items, in multiples of `grain`. Uses one
  // part if there is only one thread, or if the total `work` is hardly more than `small`.
  template <class Run>
  void each_part(int64_t count, int64_t grain, int64_t work, int64_t small, const Run& run) const {
    const int64_t grains = (count + grain - 1) / grain;
    const int64_t of_threads = std::clamp<int64_t>(work / small, 1, most_threads_);
    const int64_t parts = most_threads_ == 1
                              ? 1
                              : std::min(grains, std::clamp(work / small / kLargePart, of_threads,
                                                            kPartsPerThread * most_threads_));
    runtime::parallel_for(
        parts,
        [&](int64_t i) {
          run(Part{std::min(count, grains * i / parts * grain),
                   std::min(count, grains * (i + 1) / parts * grain)});
        },
        most_threads_);
  }

  static int64_t longest(const PackedTokens& tokens) {
    int64_t most = 0;
    for (int64_t i = 0; i < tokens.texts; ++i) most = std::max(most, tokens.length(i));
    return most;
  }

  static int64_t floats(const Architecture& o, const PackedTokens& tokens, const EncodeKernels& k,
                        const NarrowKernels* n) {
    const int64_t panels = k.panels(tokens.tokens()),
                  block = std::min(panels, kFeedForwardTokens / k.lanes);
    const int64_t hidden = (Size(panels, "a batch's states") * o.hidden_size * k.lanes * 6).value();
    int64_t rounded = 0;
    int64_t more = o.gated ? block * o.intermediate_size * k.lanes : 0;
    if (o.norm_place == NormPlace::kBefore) more += panels * o.hidden_size * k.lanes;
    if (n != nullptr)
      rounded = panels * rounded_floats(*n, o.hidden_size) +
                block * rounded_floats(*n, o.intermediate_size);
    return hidden + block * o.intermediate_size * k.lanes + rounded + more + 16 * 14;
  }

  // The floats that one rounded panel occupies, with its scales and zeros.
  static int64_t rounded_floats(const NarrowKernels& n, int64_t width) {
    return n.panel_bytes(width) / 4 + 2 * n.floats->lanes;
  }

  // Panels in the format that narrow kernels read.
  struct Rounded {
    uint8_t* values = nullptr;  // panel p at values + p * NarrowKernels::panel_bytes()
    float* scales = nullptr;    // [panels][lanes]
    int32_t* zeros = nullptr;   // [panels][lanes]
  };
  Rounded take_rounded(int64_t panels, int64_t width) {
    auto* values = reinterpret_cast<uint8_t*>(scratch_.take(panels * n_->panel_bytes(width) / 4));
    float* scales = scratch_.take(panels * k_.lanes);
    return {values, scales, reinterpret_cast<int32_t*>(scratch_.take(panels * k_.lanes))};
  }

  int64_t block_panels() const { return std::min(panels_, kFeedForwardTokens / k_.lanes); }
  int64_t panel_size() const { return o_.hidden_size * k_.lanes; }

  void embed_panel(const EmbeddingView& w, int64_t panel, float* row) {
    const int64_t hidden = o_.hidden_size, first = panel * k_.lanes;
    float* out = states_ + panel * panel_size();
    const int64_t used = std::min(k_.lanes, tokens_.tokens() - first);
    if (used < k_.lanes) std::fill_n(out, panel_size(), 0.0f);
    for (int64_t lane = 0; lane < used; ++lane) {
      const int64_t token = first + lane;
      if (w.narrow_words != nullptr) w.narrow_words->read_row(tokens_.ids[token], row);
      const float* word = w.narrow_words != nullptr ? row : w.words + tokens_.ids[token] * hidden;
      const auto scale = static_cast<float>(o_.embedding_scale);
      const float* position = w.positions == nullptr
                                  ? nullptr
                                  : w.positions + positions_[static_cast<size_t>(token)] * hidden;
      const float* type =
          w.types == nullptr
              ? nullptr
              : w.types + (tokens_.type_ids == nullptr ? 0 : tokens_.type_ids[token]) * hidden;
      if (position != nullptr && type != nullptr && scale == 1) {
        for (int64_t i = 0; i < hidden; ++i)
          out[i * k_.lanes + lane] = (word[i] + type[i]) + position[i];
        continue;
      }
      for (int64_t i = 0; i < hidden; ++i) {
        out[i * k_.lanes + lane] = (word[i] * scale + (type == nullptr ? 0.0f : type[i])) +
                                   (position == nullptr ? 0.0f : position[i]);
      }
    }
  }

  // to = norm(x), which a product reads next. `to` may be x.
  void normalize(const NormView& norm, float* x, float* to) const {
    each_part(panels_, 1, panels_ * panel_size(), kSmallSweep,
              [&](const Part& part) { normalize(norm, x, to, part); });
  }
  void normalize(const NormView& norm, float* x, float* to, const Part& part) const {
    const auto task = [&](int64_t begin, int64_t panels) {
      return cpu::LayerNormTask{x + begin * panel_size(), norm.weight, norm.bias,
                                o_.layer_norm_eps,        panels,      o_.hidden_size,
                                to + begin * panel_size()};
    };
    if (n_ == nullptr) return k_.layer_norm(task(part.begin, part.end - part.begin));
    for (int64_t panel = part.begin; panel < part.end; ++panel) {
      k_.layer_norm(task(panel, 1));
      round(to, o_.hidden_size, rounded_, {panel, panel + 1});  // while it is in the cache
    }
  }

  void round_all(const float* x, int64_t width, const Rounded& out, int64_t panels) const {
    each_part(panels, 1, panels * width * k_.lanes, kSmallSweep,
              [&](const Part& part) { round(x, width, out, part); });
  }
  void round(const float* x, int64_t width, const Rounded& out, const Part& part) const {
    cpu::NarrowTask t;
    t.x = x + part.begin * width * k_.lanes;
    t.x_stride = width * k_.lanes;
    t.out = out.values + part.begin * n_->panel_bytes(width);
    t.out_stride = n_->panel_bytes(width);
    t.scales = out.scales + part.begin * k_.lanes;
    t.zeros = out.zeros + part.begin * k_.lanes;
    t.panels = part.end - part.begin;
    t.width = width;
    n_->narrow(t);
  }

  // The arguments of both kinds of product: rows and panels, and where the results go.
  struct Product {
    const LinearView& w;
    const float* x;         // [panels][in][lanes], of the first panel
    Rounded rounded;        // the same for narrow kernels
    const float* residual;  // or nullptr
    float* y;
    int64_t y_stride, panels, in;
    bool activate, tail;
  };
  void describe(const Product& p, const Part& rows, cpu::ProductTask& t) const {
    t.bias = p.w.bias;
    t.residual = p.residual;
    t.residual_stride = p.y_stride;
    t.y = p.y;
    t.y_stride = p.y_stride;
    t.panels = p.panels;
    t.in = p.in;
    t.begin = rows.begin;
    t.end = rows.end;
    t.activate = p.activate;
    t.activation = o_.hidden_act;
  }
  void multiply(const Product& p, const Part& rows) const {
    if (n_ != nullptr) return multiply_rounded(p, rows);
    cpu::LinearTask t;
    t.x = p.x;
    t.x_stride = p.in * k_.lanes;
    t.weight = p.w.weight;
    describe(p, rows, t);
    t.tail = p.tail ? tail_ : 0;
    Scratch scratch(t.tail * p.in);
    t.tail_x = scratch.take(t.tail * p.in);
    k_.linear(t);
  }
  void multiply_rounded(const Product& p, const Part& rows) const {
    cpu::NarrowLinearTask t;
    t.x = p.rounded.values;
    t.x_stride = n_->panel_bytes(p.in);
    t.x_scales = p.rounded.scales;
    t.x_zeros = p.rounded.zeros;
    t.weight = p.w.narrow->values();
    t.weight_stride = p.w.narrow->stride();
    t.weight_scales = p.w.narrow->scales();
    t.weight_sums = p.w.narrow->sums();
    describe(p, rows, t);
    n_->linear(t);
  }

  // All rows of W, split among the threads.
  void multiply_all(const Product& p, int64_t out) const {
    each_part(out, row_grain(), out * p.in * p.panels * k_.lanes, kSmallProduct,
              [&](const Part& rows) { multiply(p, rows); });
  }

  // y = W x + b + residual for the panels [begin, end). `x` and `rounded` begin at panel `begin`;
  // `residual` and `y` begin at panel 0.
  void product(const LinearView& w, const float* x, const Rounded& rounded, const float* residual,
               float* y, int64_t begin, int64_t end, int64_t in, int64_t out) const {
    const int64_t stride = out * k_.lanes;
    multiply_all({w, x, rounded, residual + begin * stride, y + begin * stride, stride, end - begin,
                  in, false, end == panels_},
                 out);
  }

  int64_t row_grain() const { return n_ == nullptr ? k_.row_grain : n_->row_grain; }

  // A part is some heads, all the way from the states x to the attended states, because no other
  // part reads its queries, keys and values.
  void attend(const LayerView& w, const float* x, int64_t layer) {
    const int64_t work = 3 * o_.hidden_size * panels_ * panel_size();
    each_part(o_.num_attention_heads, 1, work, kSmallProduct,
              [&](const Part& heads) { attend(w, x, layer, heads); });
  }
  void attend(const LayerView& w, const float* x, int64_t layer, const Part& heads) const {
    const int64_t width = o_.width_of_head();
    const LinearView* projections[] = {&w.query, &w.key, &w.value};
    for (int64_t i = 0; i < 3; ++i) {
      multiply({*projections[i], x, rounded_, nullptr, qkv_ + i * panel_size(), 3 * panel_size(),
                panels_, o_.hidden_size, false, true},
               {heads.begin * width, heads.end * width});
    }
    for (int64_t head = heads.begin; head < heads.end; ++head) {
      for (const int64_t i : {0, 1})
        places_.rotate(qkv_ + i * panel_size() + head * width * k_.lanes, 3 * panel_size(), panels_,
                       layer);
    }
    cpu::AttentionTask t;
    t.q = qkv_;
    t.k = qkv_ + panel_size();
    t.v = qkv_ + 2 * panel_size();
    t.stride = 3 * panel_size();
    t.out = attended_;
    t.out_stride = panel_size();
    t.offsets = tokens_.offsets;
    t.texts = tokens_.texts;
    t.head_begin = heads.begin;
    t.head_end = heads.end;
    t.head_width = width;
    t.scale = static_cast<float>(o_.attention_scale);
    t.bias = places_.bias(layer);
    t.bias_stride = places_.bias_stride();
    Scratch scratch(k_.attention_scratch(longest_));
    t.scores = scratch.take(k_.attention_scratch(longest_));
    k_.attention(t);
  }

  // The feed-forward block for the panels [begin, end). `x` is the result of the norm before it.
  void feed_forward(const LayerView& w, const float* x, int64_t begin, int64_t end) {
    const int64_t hidden = o_.hidden_size, wide = o_.intermediate_size, panels = end - begin;
    Rounded states = rounded_;
    if (n_ != nullptr) {
      states.values += begin * n_->panel_bytes(hidden);
      states.scales += begin * k_.lanes;
      states.zeros += begin * k_.lanes;
    }
    const auto widen = [&](const LinearView& linear, float* to, bool activate) {
      multiply_all({linear, x + begin * panel_size(), states, nullptr, to, wide * k_.lanes, panels,
                    hidden, activate, end == panels_},
                   wide);
    };
    widen(w.intermediate, widened_, !o_.gated);
    if (o_.gated) {
      widen(w.gate, gates_, true);
      each_part(panels * wide, 1, panels * wide * k_.lanes, kSmallSweep, [&](const Part& part) {
        for (int64_t i = part.begin * k_.lanes; i < part.end * k_.lanes; ++i)
          widened_[i] *= gates_[i];
      });
    }
    if (n_ != nullptr) round_all(widened_, wide, rounded_widened_, panels);
    product(w.output, widened_, rounded_widened_, summed_, states_, begin, end, wide, hidden);
  }

  const Architecture& o_;
  const InferenceWeights& w_;
  const PackedTokens& tokens_;
  const EncodeKernels& k_;
  const NarrowKernels* n_;  // nullptr means products in float32
  const int most_threads_;
  std::vector<int32_t> positions_;  // [tokens] rows of the position table
  int64_t rows_, panels_;  // of states_: the tokens' or, after the last attention, the texts'
  const PanelPlaces places_;
  Scratch scratch_;
  float* states_;            // [panels][hidden][lanes] the layer's input, then its output
  float* attended_;          // [panels][hidden][lanes]
  float* summed_;            // [panels][hidden][lanes] the layer's state after attention
  float* qkv_;               // [panels][3][hidden][lanes]
  float* widened_;           // [block_panels()][intermediate][lanes]
  float* gates_ = nullptr;   // the same, of gated architectures
  float* normed_ = nullptr;  // [panels][hidden][lanes] the result of a norm before a block
  Rounded rounded_;          // of the next product's input: states_, attended_, summed_ or normed_
  Rounded rounded_widened_;  // of widened_
  int64_t longest_ = 0;      // tokens of the longest text
  int64_t tail_ = 0;         // tokens in the last panel when LinearTask::tail is to be used
};

}  // namespace

bool kernels_infer(const Architecture& a) {
  const bool heads =
      a.query_width() == a.hidden_size && a.key_width() == a.hidden_size && !a.query_key_norm;
  return a.num_hidden_layers > 0 && heads && kernels_activate(a.hidden_act) &&
         a.norm == NormKind::kLayer && a.norm_place != NormPlace::kAround &&
         !a.embedding_projection;
}

namespace {

void run(const Architecture& architecture, const InferenceWeights& weights,
         const PackedTokens& tokens, const std::vector<int64_t>& wanted, bool first_will_do,
         int most_threads, const StateSink& sink, const EncodeKernels& kernels,
         const NarrowKernels* narrow) {
  check_tokens(architecture, tokens);
  check(tokens.positions == nullptr ||
            (architecture.rotary_base == 0 && architecture.relative_bias == RelativeBias::kNone &&
             architecture.window == 0),
        Status::kInternal, "the kernels turn and bias tokens by their own places only");
  if (tokens.texts == 0 || wanted.empty()) return;
  Pass pass(architecture, weights, tokens, kernels, narrow, most_threads);
  const bool first_only = first_will_do && wanted.back() > 0 && pass.can_keep_first_tokens();
  size_t next = 0;
  for (int64_t layer = 0; next < wanted.size(); ++layer) {
    if (layer == 0) pass.embed();
    else pass.layer(layer - 1, first_only && layer == wanted.back());
    if (wanted[next] != layer) continue;
    sink(layer, pass.rows(), first_only && layer == wanted.back());
    ++next;
  }
}

}  // namespace

void run_on_cpu(const Architecture& architecture, const InferenceWeights& weights,
                const PackedTokens& tokens, const std::vector<int64_t>& wanted, bool first_will_do,
                int most_threads, const StateSink& sink, const EncodeKernels& kernels) {
  run(architecture, weights, tokens, wanted, first_will_do, most_threads, sink, kernels, nullptr);
}

void run_on_cpu(const Architecture& architecture, const InferenceWeights& weights,
                const PackedTokens& tokens, const std::vector<int64_t>& wanted, bool first_will_do,
                int most_threads, const StateSink& sink, const NarrowKernels& kernels) {
  run(architecture, weights, tokens, wanted, first_will_do, most_threads, sink, *kernels.floats,
      &kernels);
}

void dense_rows(const float* x, int64_t rows, const LinearView& linear, int64_t in, int64_t out,
                float* y) {
  const EncodeKernels& k = *cpu::kernels().encode;
  const int64_t panels = k.panels(rows), lanes = k.lanes;
  Scratch scratch((Size(panels, "rows") * lanes * (in + out) + 32).value());
  float* from = scratch.take(panels * in * lanes);
  float* to = scratch.take(panels * out * lanes);
  std::fill_n(from, panels * in * lanes, 0.0f);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < in; ++i)
      from[(row / lanes * in + i) * lanes + row % lanes] = x[row * in + i];
  }
  cpu::LinearTask t;
  t.x = from;
  t.x_stride = in * lanes;
  t.weight = linear.weight;
  t.bias = linear.bias;
  t.y = to;
  t.y_stride = out * lanes;
  t.panels = panels;
  t.in = in;
  t.end = out;
  k.linear(t);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < out; ++i)
      y[row * out + i] = to[(row / lanes * out + i) * lanes + row % lanes];
  }
}

}  // namespace contrastive::encoder
