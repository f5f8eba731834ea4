#include "core/encoder/inference.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/encoder/scratch.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::encoder {

namespace {

using kernels::KernelTable;
using kernels::NarrowKernels;
using runtime::Team;

// Tokens whose feed-forward states (intermediate_size numbers each) are held at a time: they stay in the second-level cache between the two products.
constexpr int64_t kFeedForwardTokens = 128;
// In a batch of at most so many panels the lanes left empty in the last one are worth a product of its own.
constexpr int64_t kMostPanelsWithTail = 4;

// One batch on its way through the encoder: the buffers, and the steps that every member of the team takes together. A step ends in a barrier
// where the next one reads what other members wrote.
//
// With narrow kernels a product reads a rounded copy of its states. Whoever has computed a token's states rounds them, or, where each member has a
// part of every token, whoever the token falls to after the barrier.
class Pass {
 public:
  Pass(const EncoderOptions& options, const PackedTokens& tokens, const KernelTable& kernels, const NarrowKernels* narrow, int members)
      : o_(options), tokens_(tokens), k_(kernels), n_(narrow), positions_(position_rows(options, tokens)), panels_(kernels.panels(tokens.tokens())),
        scratch_(floats(options, tokens, kernels, narrow, members)) {
    const int64_t hidden = panels_ * o_.hidden_size * k_.lanes;
    states_ = scratch_.take(hidden);
    attended_ = scratch_.take(hidden);
    summed_ = scratch_.take(hidden);
    qkv_ = scratch_.take(3 * hidden);
    widened_ = scratch_.take(block_panels() * o_.intermediate_size * k_.lanes);
    if (n_ != nullptr) {
      rounded_ = take_rounded(panels_, o_.hidden_size);
      rounded_widened_ = take_rounded(block_panels(), o_.intermediate_size);
    }
    const int64_t last = tokens.tokens() - (panels_ - 1) * k_.lanes;
    if (n_ == nullptr && panels_ <= kMostPanelsWithTail && 2 * last <= k_.lanes) tail_ = last;
    for (int i = 0; i < members; ++i) {
      scores_.push_back(scratch_.take(k_.attention_scratch(longest(tokens))));
      tails_.push_back(scratch_.take(tail_size(options, kernels)));
    }
  }

  void embed(const EmbeddingView& w, Team& team) {
    const Team::Share share = team.share(panels_);
    for (int64_t panel = share.begin; panel < share.end; ++panel) embed_panel(w, panel, tails_[static_cast<size_t>(team.rank())]);
    normalise(w.norm, states_, share);
    team.barrier();
  }

  void layer(const LayerView& w, Team& team) {
    attend(w, team);
    product(w.attention_output, attended_, rounded_, states_, summed_, 0, panels_, o_.hidden_size, o_.hidden_size, team);
    normalise(w.attention_norm, summed_, team.share(panels_));
    team.barrier();
    for (int64_t begin = 0; begin < panels_; begin += block_panels()) {
      feed_forward(w, begin, std::min(panels_, begin + block_panels()), team);
    }
    normalise(w.output_norm, states_, team.share(panels_));
    team.barrier();
  }

  // states_ as rows, into the buffer that attention has no use for between layers.
  const float* rows() {
    for (int64_t t = 0; t < tokens_.tokens(); ++t) {
      const float* from = states_ + t / k_.lanes * o_.hidden_size * k_.lanes + t % k_.lanes;
      for (int64_t i = 0; i < o_.hidden_size; ++i) summed_[t * o_.hidden_size + i] = from[i * k_.lanes];
    }
    return summed_;
  }

 private:
  static int64_t longest(const PackedTokens& tokens) {
    int64_t most = 0;
    for (int64_t i = 0; i < tokens.texts; ++i) most = std::max(most, tokens.length(i));
    return most;
  }

  static int64_t floats(const EncoderOptions& o, const PackedTokens& tokens, const KernelTable& k, const NarrowKernels* n, int members) {
    const int64_t panels = k.panels(tokens.tokens()), block = std::min(panels, kFeedForwardTokens / k.lanes);
    const int64_t hidden = (Size(panels, "a batch's states") * o.hidden_size * k.lanes * 6).value();
    int64_t rounded = 0;
    if (n != nullptr) rounded = panels * rounded_floats(*n, o.hidden_size) + block * rounded_floats(*n, o.intermediate_size);
    return hidden + block * o.intermediate_size * k.lanes + rounded +
           members * Scratch::rounded(k.attention_scratch(longest(tokens)) + tail_size(o, k)) + 16 * (12 + 2 * members);
  }

  // Floats that one panel takes when it is rounded, its scales and zeros included.
  static int64_t rounded_floats(const NarrowKernels& n, int64_t width) { return n.panel_bytes(width) / 4 + 2 * n.floats->lanes; }

  // Panels as narrow kernels read them.
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

  static int64_t tail_size(const EncoderOptions& o, const KernelTable& k) { return k.lanes / 2 * std::max(o.hidden_size, o.intermediate_size); }
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
      const float* position = w.positions + positions_[static_cast<size_t>(token)] * hidden;
      const float* type = w.types + (tokens_.type_ids == nullptr ? 0 : tokens_.type_ids[token]) * hidden;
      for (int64_t i = 0; i < hidden; ++i) out[i * k_.lanes + lane] = (word[i] + type[i]) + position[i];
    }
  }

  // The share's panels of x, which a product reads next.
  void normalise(const NormView& norm, float* x, const Team::Share& share) const {
    if (n_ == nullptr) {
      k_.layer_norm({x + share.begin * panel_size(), norm.weight, norm.bias, o_.layer_norm_eps, share.end - share.begin, o_.hidden_size});
      return;
    }
    for (int64_t panel = share.begin; panel < share.end; ++panel) {
      k_.layer_norm({x + panel * panel_size(), norm.weight, norm.bias, o_.layer_norm_eps, 1, o_.hidden_size});
      round(x, o_.hidden_size, rounded_, {panel, panel + 1});  // while it is in the cache
    }
  }

  void round(const float* x, int64_t width, const Rounded& out, const Team::Share& share) const {
    kernels::NarrowTask t;
    t.x = x + share.begin * width * k_.lanes;
    t.x_stride = width * k_.lanes;
    t.out = out.values + share.begin * n_->panel_bytes(width);
    t.out_stride = n_->panel_bytes(width);
    t.scales = out.scales + share.begin * k_.lanes;
    t.zeros = out.zeros + share.begin * k_.lanes;
    t.panels = share.end - share.begin;
    t.width = width;
    n_->narrow(t);
  }

  // What both kinds of product are told: rows and panels, and where the results go.
  struct Product {
    const LinearView& w;
    const float* x;          // [panels][in][lanes], of the first panel
    Rounded rounded;         // the same for narrow kernels
    const float* residual;   // or nullptr
    float* y;
    int64_t y_stride, panels, in;
    Team::Share rows;
    bool activate, tail;
  };
  void describe(const Product& p, kernels::ProductTask& t) const {
    t.bias = p.w.bias;
    t.residual = p.residual;
    t.residual_stride = p.y_stride;
    t.y = p.y;
    t.y_stride = p.y_stride;
    t.panels = p.panels;
    t.in = p.in;
    t.begin = p.rows.begin;
    t.end = p.rows.end;
    t.activate = p.activate;
    t.activation = o_.hidden_act;
  }
  void multiply(const Product& p, const Team& team) const {
    if (n_ != nullptr) return multiply_rounded(p);
    kernels::LinearTask t;
    t.x = p.x;
    t.x_stride = p.in * k_.lanes;
    t.weight = p.w.weight;
    describe(p, t);
    t.tail = p.tail ? tail_ : 0;
    t.tail_x = tails_[static_cast<size_t>(team.rank())];
    k_.linear(t);
  }
  void multiply_rounded(const Product& p) const {
    kernels::NarrowLinearTask t;
    t.x = p.rounded.values;
    t.x_stride = n_->panel_bytes(p.in);
    t.x_scales = p.rounded.scales;
    t.x_zeros = p.rounded.zeros;
    t.weight = p.w.narrow->values();
    t.weight_stride = p.w.narrow->stride();
    t.weight_scales = p.w.narrow->scales();
    t.weight_sums = p.w.narrow->sums();
    describe(p, t);
    n_->linear(t);
  }

  // y = W x + b + residual for the panels [begin, end), the rows of W shared among the team. All but `residual` and `y` begin at panel `begin`.
  void product(const LinearView& w, const float* x, const Rounded& rounded, const float* residual, float* y, int64_t begin, int64_t end, int64_t in,
               int64_t out, Team& team) const {
    const int64_t stride = out * k_.lanes;
    multiply({w, x, rounded, residual + begin * stride, y + begin * stride, stride, end - begin, in, team.share(out, row_grain()), false,
              end == panels_}, team);
    team.barrier();
  }

  int64_t row_grain() const { return n_ == nullptr ? k_.row_grain : n_->row_grain; }

  // Each member takes some heads all the way from the states to what they attended to: no other member reads its queries, keys and values.
  void attend(const LayerView& w, Team& team) {
    const Team::Share heads = team.share(o_.num_attention_heads);
    const int64_t width = o_.hidden_size / o_.num_attention_heads;
    const LinearView* projections[] = {&w.query, &w.key, &w.value};
    for (int64_t i = 0; i < 3; ++i) {
      multiply({*projections[i], states_, rounded_, nullptr, qkv_ + i * panel_size(), 3 * panel_size(), panels_, o_.hidden_size,
                {heads.begin * width, heads.end * width}, false, true}, team);
    }
    kernels::AttentionTask t;
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
    t.scores = scores_[static_cast<size_t>(team.rank())];
    k_.attention(t);
    team.barrier();
    if (n_ == nullptr) return;
    round(attended_, o_.hidden_size, rounded_, team.share(panels_));
    team.barrier();
  }

  void feed_forward(const LayerView& w, int64_t begin, int64_t end, Team& team) {
    const int64_t hidden = o_.hidden_size, wide = o_.intermediate_size, panels = end - begin;
    Rounded states = rounded_;
    if (n_ != nullptr) {
      states.values += begin * n_->panel_bytes(hidden);
      states.scales += begin * k_.lanes;
      states.zeros += begin * k_.lanes;
    }
    multiply({w.intermediate, summed_ + begin * panel_size(), states, nullptr, widened_, wide * k_.lanes, panels, hidden,
              team.share(wide, row_grain()), true, end == panels_}, team);
    team.barrier();
    if (n_ != nullptr) {
      round(widened_, wide, rounded_widened_, team.share(panels));
      team.barrier();
    }
    product(w.output, widened_, rounded_widened_, summed_, states_, begin, end, wide, hidden, team);
  }

  const EncoderOptions& o_;
  const PackedTokens& tokens_;
  const KernelTable& k_;
  const NarrowKernels* n_;  // nullptr: products in float32
  const std::vector<int32_t> positions_;  // [tokens] rows of the position table
  const int64_t panels_;
  Scratch scratch_;
  float* states_;    // [panels][hidden][lanes] the layer's input, then its output
  float* attended_;  // [panels][hidden][lanes]
  float* summed_;    // [panels][hidden][lanes] the layer's state after attention
  float* qkv_;       // [panels][3][hidden][lanes]
  float* widened_;   // [block_panels()][intermediate][lanes]
  Rounded rounded_;          // of what the next product reads: states_, attended_ or summed_
  Rounded rounded_widened_;  // of widened_
  std::vector<float*> scores_, tails_;  // one for each member
  int64_t tail_ = 0;                    // tokens in the last panel when LinearTask::tail is to be used
};

}  // namespace

namespace {

void run(const EncoderOptions& options, const InferenceWeights& weights, const PackedTokens& tokens, const std::vector<int64_t>& wanted,
         int most_threads, const StateSink& sink, const KernelTable& kernels, const NarrowKernels* narrow) {
  check_tokens(options, tokens);
  if (tokens.texts == 0 || wanted.empty()) return;
  Pass pass(options, tokens, kernels, narrow, most_threads);
  runtime::run_team(most_threads, [&](Team& team) {
    size_t next = 0;
    for (int64_t layer = 0; next < wanted.size(); ++layer) {
      if (layer == 0) pass.embed(weights.embeddings, team);
      else pass.layer(weights.layers[static_cast<size_t>(layer - 1)], team);
      if (wanted[next] != layer) continue;
      if (team.rank() == 0) sink(layer, pass.rows());
      if (++next < wanted.size()) team.barrier();
    }
  });
}

}  // namespace

void run_on_cpu(const EncoderOptions& options, const InferenceWeights& weights, const PackedTokens& tokens, const std::vector<int64_t>& wanted,
                int most_threads, const StateSink& sink, const KernelTable& kernels) {
  run(options, weights, tokens, wanted, most_threads, sink, kernels, nullptr);
}

void run_on_cpu(const EncoderOptions& options, const InferenceWeights& weights, const PackedTokens& tokens, const std::vector<int64_t>& wanted,
                int most_threads, const StateSink& sink, const NarrowKernels& kernels) {
  run(options, weights, tokens, wanted, most_threads, sink, *kernels.floats, &kernels);
}

void dense_rows(const float* x, int64_t rows, const LinearView& linear, int64_t in, int64_t out, float* y) {
  const KernelTable& k = kernels::best_kernels();
  const int64_t panels = k.panels(rows), lanes = k.lanes;
  Scratch scratch((Size(panels, "rows") * lanes * (in + out) + 32).value());
  float* from = scratch.take(panels * in * lanes);
  float* to = scratch.take(panels * out * lanes);
  std::fill_n(from, panels * in * lanes, 0.0f);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < in; ++i) from[(row / lanes * in + i) * lanes + row % lanes] = x[row * in + i];
  }
  kernels::LinearTask t;
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
    for (int64_t i = 0; i < out; ++i) y[row * out + i] = to[(row / lanes * out + i) * lanes + row % lanes];
  }
}

}  // namespace contrastive::encoder
