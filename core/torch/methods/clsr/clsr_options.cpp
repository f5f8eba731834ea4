// The config keys "clsr.*": every switch of core/torch/methods/clsr/README.md 4 and 5.
#include "core/base/error.h"
#include "core/torch/methods/clsr/clsr.h"
#include "core/torch/methods/pooling_key.h"

namespace contrastive::methods {
namespace {

void visit_network(ClsrOptions& o, OptionVisitor& v) {
  v.choice("encoder_init", o.encoder_init,
           {{"random", EncoderInit::kRandom},
            {"identity", EncoderInit::kIdentity},
            {"residual", EncoderInit::kResidual}},
           OptionDoc("form and start of the trained map: random = the paper's two-layer network "
                     "with random weights; identity = one linear map, starting as the identity; "
                     "residual = x + network(x), with the network starting at zero. The last two "
                     "start as good as the encoder itself")
               .source("random: CLSR section 3"));
  v.integer(
      "hidden", o.hidden, between(1, 65536),
      OptionDoc("width of the hidden layer").source("not stated in the paper").unit("dimensions"));
  v.integer(
      "dimension", o.dimension, between(0, 65536),
      OptionDoc(
          "width of the trained vector; 0 = 768, or the encoder's own for identity and residual")
          .source("CLSR 4.1: 768")
          .unit("dimensions"));
  v.choice("activation", o.activation,
           {{"hidden", ReluAt::kHidden}, {"output", ReluAt::kOutput}, {"both", ReluAt::kBoth}},
           OptionDoc("which layers of the random network end in ReLU")
               .source("the paper states only the output's"));
  v.choice("projection", o.projection,
           {{"auto", ProjectionChoice::kAuto},
            {"linear", ProjectionChoice::kLinear},
            {"mlp", ProjectionChoice::kMlp},
            {"none", ProjectionChoice::kNone}},
           OptionDoc("head between the trained vector and the loss, discarded after training; auto "
                     "= linear for random, none for identity and residual")
               .source("CLSR section 3: linear"));
  v.integer("projection_dim", o.projection_dim, between(0, 65536),
            OptionDoc("width of the projection; 0 = that of the trained vector")
                .source("CLSR section 3")
                .unit("dimensions"));
}

void visit_input_and_output(ClsrOptions& o, OptionVisitor& v) {
  v.choice("loss_on", o.loss_on, {{"z", LossOn::kZ}, {"v", LossOn::kV}},
           OptionDoc("the loss compares projections (z) or the trained vectors themselves (v)")
               .source("eq. 1 writes v, the text says z"));
  v.text("base_pooling", o.base_pooling,
         OptionDoc("pooling of the frozen encoder; empty = the model's own")
             .source("CLSR 4.1: mean; table 2: cls"));
  v.choice("input_norm", o.input_norm,
           {{"none", InputNorm::kNone},
            {"l2", InputNorm::kL2},
            {"standardize", InputNorm::kStandardize}},
           OptionDoc("scaling of the frozen vectors; standardize brings every dimension to mean 0 "
                     "and deviation 1 and becomes part of the first Dense module; l2 is for "
                     "studies with eval_vector = x only, because no saved model can hold a "
                     "Normalize module before a Dense one")
               .source("none: CLSR"));
  v.integer("standardize_texts", o.standardize_texts, between(2, 1e7),
            OptionDoc("number of training texts that mean and deviation are computed from")
                .unit("texts"));
  v.choice("eval_vector", o.eval_vector,
           {{"v", EvalVector::kV}, {"z", EvalVector::kZ}, {"x", EvalVector::kX}},
           OptionDoc("output of the saved model: the trained vector, its projection, or the frozen "
                     "encoder's vector")
               .source("CLSR section 3: v"));
  v.flag("half_cache", o.half_cache,
         "keep cached vectors as float16: half the memory and disk space, about three digits of "
         "precision");
}

}  // namespace

void ClsrOptions::visit(OptionVisitor& v) {
  v.nested("", loss);
  visit_network(*this, v);
  visit_input_and_output(*this, v);
}

void ClsrOptions::validate(const Config& config) const {
  loss.validate(kPrefix);
  if (!base_pooling.empty()) parse_pooling_key("clsr.base_pooling", base_pooling);
  const bool random = encoder_init == EncoderInit::kRandom;
  for (const char* key : {"clsr.activation", "clsr.dimension"}) {
    check(random || !config.has(key), Status::kArgument, "config key '", key,
          "' goes with clsr.encoder_init = random only");
  }
  check(encoder_init != EncoderInit::kIdentity || !config.has("clsr.hidden"), Status::kArgument,
        "config key 'clsr.hidden' does not go with clsr.encoder_init = identity, which has no "
        "hidden layer");
  const bool asked =
      projection == ProjectionChoice::kLinear || projection == ProjectionChoice::kMlp;
  check(loss_on == LossOn::kZ || !asked, Status::kArgument,
        "config key 'clsr.projection': nothing would train it with clsr.loss_on = v");
  // sentence-transformers would run such a folder, but the folders written here hold Normalize as
  // the last module only (io::ModelFolder).
  check(input_norm != InputNorm::kL2 || eval_vector == EvalVector::kX, Status::kArgument,
        "config key 'clsr.input_norm' is l2, which a saved model cannot hold before its Dense "
        "modules: use standardize, or clsr.eval_vector = x");
  const bool projected = resolved_projection() != Projection::kNone;
  check(projected || projection_dim == 0, Status::kArgument,
        "config key 'clsr.projection_dim' is set, but there is no projection");
  check(projected || eval_vector != EvalVector::kZ, Status::kArgument,
        "config key 'clsr.eval_vector' is z, but there is no projection");
}

Projection ClsrOptions::resolved_projection() const {
  if (loss_on == LossOn::kV) return Projection::kNone;
  switch (projection) {
    case ProjectionChoice::kNone: return Projection::kNone;
    case ProjectionChoice::kLinear: return Projection::kLinear;
    case ProjectionChoice::kMlp: return Projection::kMlp;
    case ProjectionChoice::kAuto: break;
  }
  return encoder_init == EncoderInit::kRandom ? Projection::kLinear : Projection::kNone;
}

// CLSR 4.1; the optimiser is inferred from the paper's citation of SimCLR
// (core/torch/methods/clsr/README.md 2).
Config ClsrOptions::training_defaults() const {
  Config config;
  config.set_json("batch_size", 512);
  config.set_json("epochs", 2000);
  config.set_json("lr", 0.5);
  config.set_json("optimizer", "lars");
  config.set_json("weight_decay", 1e-4);
  config.set_json("schedule", "warmup-cosine");
  config.set_json("warmup_epochs", 10);
  config.set_json("last_batch", "drop");
  config.set_json("eval_every_epochs", 10);
  return config;
}

MethodTraits describe_clsr(const Config& config) {
  MethodTraits traits = describe<ClsrOptions>(config);
  const auto options = read_options<ClsrOptions>(config, ClsrOptions::kPrefix);
  traits.caches = true;  // the frozen encoder's vectors
  traits.trains_encoder = false;
  const bool behind =
      options.resolved_projection() != Projection::kNone;  // where the loss is taken
  const bool delivered =
      options.eval_vector == EvalVector::kZ || (options.eval_vector == EvalVector::kV && !behind);
  if (delivered) traits.sentence_vectors = {"a", "b"};
  else
    traits.uncut = "the loss is taken of other vectors than the model gives; set clsr.loss_on = v, "
                   "or clsr.eval_vector = z";
  traits.check_shape = [pooling = options.base_pooling](const encoder::Architecture& shape) {
    if (!pooling.empty()) parse_pooling_key("clsr.base_pooling", pooling, shape.num_hidden_layers);
  };
  return traits;
}

}  // namespace contrastive::methods
