#include "core/encoder/inference.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/encoder/scratch.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::encoder {

namespace {

using kernels::KernelTable;
using runtime::Team;

// Tokens whose feed-forward states (intermediate_size numbers each) are held at a time: they stay in the second-level cache between the two products.
constexpr int64_t kFeedForwardTokens = 128;
// In a batch of at most so many panels the lanes left empty in the last one are worth a product of its own.
constexpr int64_t kMostPanelsWithTail = 4;

const float* data(const Tensor& tensor) { return tensor.floats(); }

// One batch on its way through the encoder: the buffers, and the steps that every member of the team takes together. A step ends in a barrier
// where the next one reads what other members wrote.
class Pass {
 public:
  Pass(const EncoderOptions& options, const PackedTokens& tokens, const KernelTable& kernels, int members)
      : o_(options), tokens_(tokens), k_(kernels), positions_(position_rows(options, tokens)), panels_(kernels.panels(tokens.tokens())),
        scratch_(floats(options, tokens, kernels, members)) {
    const int64_t hidden = panels_ * o_.hidden_size * k_.lanes;
    states_ = scratch_.take(hidden);
    attended_ = scratch_.take(hidden);
    summed_ = scratch_.take(hidden);
    qkv_ = scratch_.take(3 * hidden);
    widened_ = scratch_.take(block_panels() * o_.intermediate_size * k_.lanes);
    const int64_t last = tokens.tokens() - (panels_ - 1) * k_.lanes;
    if (panels_ <= kMostPanelsWithTail && 2 * last <= k_.lanes) tail_ = last;
    for (int i = 0; i < members; ++i) {
      scores_.push_back(scratch_.take(k_.attention_scratch(longest(tokens))));
      tails_.push_back(scratch_.take(tail_size(options, kernels)));
    }
  }

  void embed(const EmbeddingWeights& w, Team& team) {
    const Team::Share share = team.share(panels_);
    for (int64_t panel = share.begin; panel < share.end; ++panel) embed_panel(w, panel);
    normalise(w.norm, states_, share);
    team.barrier();
  }

  void layer(const LayerWeights& w, Team& team) {
    attend(w, team);
    product(w.attention_output, attended_, states_, summed_, 0, panels_, o_.hidden_size, o_.hidden_size, team);
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

  static int64_t floats(const EncoderOptions& o, const PackedTokens& tokens, const KernelTable& k, int members) {
    const int64_t hidden = (Size(k.panels(tokens.tokens()), "a batch's states") * o.hidden_size * k.lanes * 6).value();
    const int64_t widened = std::min(k.panels(tokens.tokens()), kFeedForwardTokens / k.lanes) * o.intermediate_size * k.lanes;
    return hidden + widened + members * Scratch::rounded(k.attention_scratch(longest(tokens)) + tail_size(o, k)) + 16 * (6 + 2 * members);
  }

  static int64_t tail_size(const EncoderOptions& o, const KernelTable& k) { return k.lanes / 2 * std::max(o.hidden_size, o.intermediate_size); }
  int64_t block_panels() const { return std::min(panels_, kFeedForwardTokens / k_.lanes); }
  int64_t panel_size() const { return o_.hidden_size * k_.lanes; }

  void embed_panel(const EmbeddingWeights& w, int64_t panel) {
    const int64_t hidden = o_.hidden_size, first = panel * k_.lanes;
    float* out = states_ + panel * panel_size();
    const int64_t used = std::min(k_.lanes, tokens_.tokens() - first);
    if (used < k_.lanes) std::fill_n(out, panel_size(), 0.0f);
    for (int64_t lane = 0; lane < used; ++lane) {
      const int64_t token = first + lane;
      const float* word = data(w.words) + tokens_.ids[token] * hidden;
      const float* position = data(w.positions) + positions_[static_cast<size_t>(token)] * hidden;
      const float* type = data(w.types) + (tokens_.type_ids == nullptr ? 0 : tokens_.type_ids[token]) * hidden;
      for (int64_t i = 0; i < hidden; ++i) out[i * k_.lanes + lane] = (word[i] + type[i]) + position[i];
    }
  }

  void normalise(const LayerNorm& norm, float* x, const Team::Share& share) const {
    k_.layer_norm({x + share.begin * panel_size(), data(norm.weight), data(norm.bias), o_.layer_norm_eps, share.end - share.begin, o_.hidden_size});
  }

  kernels::LinearTask task(const Linear& w, const float* x, float* y, int64_t begin, int64_t end, int64_t in, int64_t out,
                           const Team& team) const {
    kernels::LinearTask t;
    t.x = x + begin * in * k_.lanes;
    t.x_stride = in * k_.lanes;
    t.weight = data(w.weight);
    t.bias = data(w.bias);
    t.y = y + begin * out * k_.lanes;
    t.y_stride = out * k_.lanes;
    t.panels = end - begin;
    t.in = in;
    t.tail = end == panels_ ? tail_ : 0;
    t.tail_x = tails_[static_cast<size_t>(team.rank())];
    return t;
  }

  // y = W x + b + residual for the panels [begin, end), the rows of W shared among the team.
  void product(const Linear& w, const float* x, const float* residual, float* y, int64_t begin, int64_t end, int64_t in, int64_t out,
      Team& team) const {
    kernels::LinearTask t = task(w, x, y, begin, end, in, out, team);
    const Team::Share share = team.share(out, k_.row_grain);
    t.begin = share.begin;
    t.end = share.end;
    t.residual = residual + begin * out * k_.lanes;
    t.residual_stride = out * k_.lanes;
    k_.linear(t);
    team.barrier();
  }

  // Each member takes some heads all the way from the states to what they attended to: no other member reads its queries, keys and values.
  void attend(const LayerWeights& w, Team& team) {
    const Team::Share heads = team.share(o_.num_attention_heads);
    const int64_t width = o_.hidden_size / o_.num_attention_heads;
    const Linear* projections[] = {&w.query, &w.key, &w.value};
    for (int64_t i = 0; i < 3; ++i) {
      kernels::LinearTask t = task(*projections[i], states_, qkv_, 0, panels_, o_.hidden_size, o_.hidden_size, team);
      t.y = qkv_ + i * panel_size();
      t.y_stride = 3 * panel_size();
      t.begin = heads.begin * width;
      t.end = heads.end * width;
      k_.linear(t);
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
  }

  void feed_forward(const LayerWeights& w, int64_t begin, int64_t end, Team& team) {
    kernels::LinearTask t = task(w.intermediate, summed_, widened_, begin, end, o_.hidden_size, o_.intermediate_size, team);
    t.y = widened_;
    const Team::Share share = team.share(o_.intermediate_size, k_.row_grain);
    t.begin = share.begin;
    t.end = share.end;
    t.activate = true;
    t.activation = o_.hidden_act;
    k_.linear(t);
    team.barrier();
    const float* widened = widened_ - begin * o_.intermediate_size * k_.lanes;
    product(w.output, widened, summed_, states_, begin, end, o_.intermediate_size, o_.hidden_size, team);
  }

  const EncoderOptions& o_;
  const PackedTokens& tokens_;
  const KernelTable& k_;
  const std::vector<int32_t> positions_;  // [tokens] rows of the position table
  const int64_t panels_;
  Scratch scratch_;
  float* states_;    // [panels][hidden][lanes] the layer's input, then its output
  float* attended_;  // [panels][hidden][lanes]
  float* summed_;    // [panels][hidden][lanes] the layer's state after attention
  float* qkv_;       // [panels][3][hidden][lanes]
  float* widened_;   // [block_panels()][intermediate][lanes]
  std::vector<float*> scores_, tails_;  // one for each member
  int64_t tail_ = 0;                    // tokens in the last panel when LinearTask::tail is to be used
};

}  // namespace

void run_on_cpu(const EncoderOptions& options, const EncoderWeights& weights, const PackedTokens& tokens, const std::vector<int64_t>& wanted,
                int most_threads, const StateSink& sink, const KernelTable& kernels) {
  check_tokens(options, tokens);
  if (tokens.texts == 0 || wanted.empty()) return;
  Pass pass(options, tokens, kernels, most_threads);
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

void dense_rows(const float* x, int64_t rows, const DenseWeights& weights, float* y) {
  const KernelTable& k = kernels::best_kernels();
  const int64_t in = weights.in, out = weights.out, panels = k.panels(rows), lanes = k.lanes;
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
  t.weight = weights.weight;
  t.bias = weights.bias;
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
