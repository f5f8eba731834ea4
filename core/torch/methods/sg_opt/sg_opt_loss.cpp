#include "core/torch/methods/sg_opt/sg_opt_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/zeros_like.h>

#include <limits>

#include "core/base/error.h"
#include "core/torch/tensors/products.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::methods {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

void check_shapes(const at::Tensor& c, const at::Tensor& h, int64_t h_dimensions,
                  const at::Tensor& text_ids) {
  const bool fit =
      c.dim() == 2 && h.dim() == h_dimensions && c.size(0) == h.size(0) && c.size(1) == h.size(-1);
  check(fit, Status::kMismatch,
        "SG-OPT's losses need sentence vectors and views of the same sentences, not ", c.sizes(),
        " and ", h.sizes());
  check(c.numel() > 0 && h.numel() > 0, Status::kArgument, "a loss of an empty batch ", c.sizes(),
        ", ", h.sizes());
  check(!text_ids.defined() || (text_ids.dim() == 1 && text_ids.size(0) == c.size(0)),
        Status::kMismatch, "one text id for each of the ", c.size(0), " sentences is needed, not ",
        text_ids.defined() ? text_ids.sizes() : at::IntArrayRef());
}

at::Tensor itself(const at::Tensor& c) {
  return at::eye(c.size(0), c.options().dtype(at::kBool));
}  // [b, b]

// True if sentence m is another sentence than i but not a negative of it: [b, b].
at::Tensor same_text(const at::Tensor& self, const at::Tensor& text_ids) {
  if (!text_ids.defined()) return at::zeros_like(self);
  const at::Tensor ids = text_ids.to(self.device());
  return ids.unsqueeze(1).eq(ids.unsqueeze(0)).logical_and(self.logical_not());
}

}  // namespace

at::Tensor sg_opt1(const at::Tensor& c, const at::Tensor& h, double temperature,
                   const at::Tensor& text_ids) {
  check_shapes(c, h, 2, text_ids);
  const at::Tensor unit = objectives::unit_rows(c), self = itself(c),
                   same = same_text(self, text_ids);
  const at::Tensor to_c = tensors::product(unit, unit.t()) / temperature,
                   to_h = tensors::product(unit, objectives::unit_rows(h).t()) /
                          temperature;  // [b, b]
  const at::Tensor logits =
      at::cat({to_c.masked_fill(self.logical_or(same), kNone), to_h.masked_fill(same, kNone)}, 1);
  return (at::logsumexp(logits, 1) - to_h.diagonal()).mean();
}

at::Tensor sg_opt2(const at::Tensor& c, const at::Tensor& h, double temperature,
                   bool drop_first_negative, const at::Tensor& text_ids) {
  check_shapes(c, h, 2, text_ids);
  at::Tensor excluded = same_text(itself(c), text_ids);
  if (drop_first_negative && c.size(0) > 1) {
    excluded = excluded.clone();
    excluded.select(1, 0).narrow(0, 1, c.size(0) - 1).fill_(true);
    excluded.select(0, 0).select(0, 1).fill_(true);
  }
  const at::Tensor logits =
      tensors::product(objectives::unit_rows(c), objectives::unit_rows(h).t()) /
      temperature;  // [b, b]
  return (at::logsumexp(logits.masked_fill(excluded, kNone), 1) - logits.diagonal()).mean();
}

at::Tensor sg_opt3(const at::Tensor& c, const at::Tensor& h, double temperature,
                   const at::Tensor& text_ids) {
  check_shapes(c, h, 3, text_ids);
  const int64_t b = h.size(0), layers = h.size(1);
  const at::Tensor views = objectives::unit_rows(h.reshape({b * layers, h.size(2)}));
  const at::Tensor logits =
      (tensors::product(objectives::unit_rows(c), views.t()) / temperature).view({b, b, layers});
  const at::Tensor positives = logits.diagonal(0, 0, 1).t();  // [b, layers]
  const at::Tensor self = itself(c);
  const at::Tensor excluded = self.logical_or(same_text(self, text_ids)).unsqueeze(2);  // [b, b, 1]
  const at::Tensor negatives =
      at::logsumexp(logits.masked_fill(excluded, kNone).view({b, b * layers}), 1, true);  // [b, 1]
  // -log(e^p / (e^p + e^n)) = softplus(n - p), and softplus(-inf) = 0 where there are no negatives.
  return at::softplus(negatives - positives).mean();
}

}  // namespace contrastive::methods
