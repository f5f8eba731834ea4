//! Training runs.
use std::collections::BTreeMap;
use std::path::Path;
use std::ptr::{self, NonNull};

use contrastive_sys as sys;
use serde_json::Value;

use crate::cancel::Cancel;
use crate::config::Config;
use crate::dataset::{Dataset, Example};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::raw;
use crate::reranker::Reranker;

/// Whether a step was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Step {
    /// One update of the weights was made.
    Made,
    /// The run is over, and nothing was done.
    Over,
}

/// What [`Trainer::run`] gives after each step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Updates so far.
    pub step: u64,
    /// Updates of the whole run, where that is known.
    pub total: Option<u64>,
    /// The loss of this update.
    pub loss: f64,
}

/// A training run. The caller owns the loop, so there are no callbacks: look at metrics, save,
/// evaluate or stop between two steps. It reads the model that it began with and works on weights
/// of its own; the result is [`model`](Self::model).
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/models/bert_st");
/// use contrastive::{Config, Dataset, Model, Trainer};
/// let model = Model::load(folder)?;
/// let data = Dataset::from_examples([("the cat sat", "a cat sits"), ("a dog runs", "the dog ran")])?;
/// let config = Config::from_json(r#"{"method": "clsr", "max_steps": 3, "batch_size": 2}"#)?;
/// let mut trainer = Trainer::new(&model, &data, &config)?;
/// for progress in trainer.run() {
///     let progress = progress?;
///     println!("step {}, loss {:.4}", progress.step, progress.loss);
/// }
/// let trained = trainer.model()?;
/// # assert_eq!(trainer.metric("step"), Some(3.0));
/// # Ok(()) }
/// ```
///
/// It may go to another thread, and is used by one at a time, as datasets and configs are:
///
/// ```compile_fail,E0277
/// # fn f(trainer: contrastive::Trainer) {
/// std::thread::scope(|scope| {
///     scope.spawn(|| trainer.metric("loss")); // does not compile: Trainer is not Sync
/// });
/// # }
/// ```
pub struct Trainer {
    handle: NonNull<sys::cs_trainer>,
}

// SAFETY: a handle may go to another thread; one thread at a time uses it, since it is not Sync.
unsafe impl Send for Trainer {}

impl Trainer {
    /// Begins a run. Keys: [`describe("train")`](crate::describe()), "method" among them. Without
    /// data (`None`) only [`batch`](Self::batch) works. The trainer keeps what it needs of model
    /// and data, which may be dropped before it.
    pub fn new<'d>(
        model: &Model,
        data: impl Into<Option<&'d Dataset>>,
        config: &Config,
    ) -> Result<Self> {
        let (data, config) = (Self::examples(data.into()), Config::pointer(Some(config)));
        // SAFETY: three handles that live during the call.
        raw::create(|error| unsafe {
            sys::cs_trainer_new(model.handle.as_ptr(), data, config, error)
        })
        .map(|handle| Self { handle })
    }

    /// Goes on with a run from what [`save`](Self::save) wrote, on the CPU bit-identical to one
    /// that was never interrupted. Model and data are those that the run began with; overrides are
    /// keys that do not change the run so far, such as "max_steps".
    pub fn resume<'d, 'c>(
        path: impl AsRef<Path>,
        model: &Model,
        data: impl Into<Option<&'d Dataset>>,
        overrides: impl Into<Option<&'c Config>>,
    ) -> Result<Self> {
        let (path, data, config) = (
            raw::path(path.as_ref())?,
            Self::examples(data.into()),
            Config::pointer(overrides.into()),
        );
        // SAFETY: a string and three handles that live during the call.
        raw::create(|error| unsafe {
            sys::cs_trainer_resume(path.as_ptr(), model.handle.as_ptr(), data, config, error)
        })
        .map(|handle| Self { handle })
    }

    /// Begins to train a reranker further, with a method that trains rerankers; the result is
    /// [`reranker`](Self::reranker). To make a reranker out of a model, give [`new`](Self::new) the
    /// model and such a method.
    pub fn of_reranker<'d>(
        reranker: &Reranker,
        data: impl Into<Option<&'d Dataset>>,
        config: &Config,
    ) -> Result<Self> {
        let (data, config) = (Self::examples(data.into()), Config::pointer(Some(config)));
        // SAFETY: three handles that live during the call.
        raw::create(|error| unsafe {
            sys::cs_trainer_new(reranker.handle.as_ptr(), data, config, error)
        })
        .map(|handle| Self { handle })
    }

    /// [`resume`](Self::resume) of a run that [`of_reranker`](Self::of_reranker) began.
    pub fn resume_reranker<'d, 'c>(
        path: impl AsRef<Path>,
        reranker: &Reranker,
        data: impl Into<Option<&'d Dataset>>,
        overrides: impl Into<Option<&'c Config>>,
    ) -> Result<Self> {
        let (path, data, config) = (
            raw::path(path.as_ref())?,
            Self::examples(data.into()),
            Config::pointer(overrides.into()),
        );
        // SAFETY: a string and three handles that live during the call.
        raw::create(|error| unsafe {
            sys::cs_trainer_resume(path.as_ptr(), reranker.handle.as_ptr(), data, config, error)
        })
        .map(|handle| Self { handle })
    }

    /// Finds what is wrong in a config without a model and without data.
    pub fn check(config: &Config) -> Result<()> {
        Self::check_all(config, None, None)
    }

    /// The same, and what the method asks in vain of the model in this folder, of which only
    /// config.json and modules.json are read: layers that it does not have, texts longer than its
    /// positions.
    pub fn check_for(config: &Config, model: impl AsRef<Path>) -> Result<()> {
        Self::check_all(config, None, Some(model.as_ref()))
    }

    /// The same, and what the examples lack: pairs, labels, as many as a warm-up is long; and files
    /// that the config names and that are not there or hold something else. With the keys "device"
    /// and "precision", by which the model will be loaded, also what the run asks of them. Without
    /// a model (`None`): for any.
    pub fn check_on<'p>(
        config: &Config,
        data: &Dataset,
        model: impl Into<Option<&'p Path>>,
    ) -> Result<()> {
        Self::check_all(config, Some(data), model.into())
    }

    fn check_all(config: &Config, data: Option<&Dataset>, model: Option<&Path>) -> Result<()> {
        let folder = model.map(raw::path).transpose()?;
        let path = folder.as_ref().map_or(ptr::null(), |folder| folder.as_ptr());
        let (config, data) = (Config::pointer(Some(config)), Self::examples(data));
        // SAFETY: the config, the examples and the string live during the call.
        raw::check(|error| unsafe { sys::cs_trainer_check(config, data, path, error) })?;
        Ok(())
    }

    fn examples(data: Option<&Dataset>) -> *const sys::cs_dataset {
        data.map_or(ptr::null(), |data| data.handle.as_ptr().cast_const())
    }

    /// Makes one update of the weights. The first call also computes what the method needs once,
    /// which may take minutes. After an error of kind Numeric the weights are untouched.
    pub fn step(&mut self) -> Result<Step> {
        self.step_with(None)
    }

    /// The same with a flag that stops it before the update, or in an evaluation behind it, which a
    /// later call makes up for: metric "step" tells.
    pub fn step_with<'c>(&mut self, cancel: impl Into<Option<&'c Cancel>>) -> Result<Step> {
        let cancel = Cancel::pointer(cancel.into());
        // SAFETY: two handles that live during the call.
        raw::check(|error| unsafe { sys::cs_train_step(self.handle.as_ptr(), cancel, error) })
            .map(made)
    }

    /// Makes one update on examples of the caller: from a queue, a cursor, a channel. All have the
    /// same number of texts, which are not copied.
    ///
    /// After an error, look at metric "step" before you give the same examples again: if it has
    /// grown, they are trained, and an evaluation behind them failed.
    pub fn batch(&mut self, examples: &[Example<'_>]) -> Result<Step> {
        self.batch_with(examples, None)
    }

    /// The same with a flag, as in [`Trainer::step_with`].
    pub fn batch_with<'c>(
        &mut self,
        examples: &[Example<'_>],
        cancel: impl Into<Option<&'c Cancel>>,
    ) -> Result<Step> {
        let cancel = Cancel::pointer(cancel.into());
        let columns = examples.first().map_or(1, |example| example.texts().len());
        if columns == 0 || examples.iter().any(|example| example.texts().len() != columns) {
            return Err(Error::argument(
                "the examples of a batch must have the same number of texts, 1 or more",
            ));
        }
        let columns = raw::narrow("the number of texts", columns)?;
        let texts: Vec<&[u8]> =
            examples.iter().flat_map(Example::texts).map(|text| text.as_bytes()).collect();
        let labels: Vec<f64> = examples.iter().map(Example::label).collect();
        let labels =
            if labels.iter().all(|label| label.is_nan()) { ptr::null() } else { labels.as_ptr() };
        raw::texts(&texts, |places, lengths| {
            // SAFETY: the handle, and as many texts and labels as are told, live during the call.
            raw::check(|error| unsafe {
                sys::cs_train_batch(
                    self.handle.as_ptr(),
                    places,
                    lengths,
                    examples.len() as i64,
                    columns,
                    labels,
                    cancel,
                    error,
                )
            })
        })
        .map(made)
    }

    /// Steps to the end of the run, one for each item. Stop whenever you like: the run goes on
    /// where it was left.
    pub fn run(&mut self) -> Run<'_> {
        self.run_with(None)
    }

    /// The same with a flag that stops it: the last item is then an error of kind Cancelled.
    pub fn run_with<'t>(&'t mut self, cancel: impl Into<Option<&'t Cancel>>) -> Run<'t> {
        Run { trainer: self, cancel: cancel.into(), over: false }
    }

    /// The present value of a metric: "loss", "lr", "step", "total_steps", "grad_norm",
    /// "tokens_per_second", "dev", ... or of a task that the run evaluates: "sts.spearman.all".
    /// `None` where it is unknown or not measured yet.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let name = raw::name("a metric's name", name).ok()?;
        // SAFETY: the handle and the string live during the call.
        let value = unsafe { sys::cs_trainer_metric(self.handle.as_ptr(), name.as_ptr()) };
        (!value.is_nan()).then_some(value)
    }

    /// All metrics that have a value.
    pub fn metrics(&self) -> Result<BTreeMap<String, f64>> {
        // SAFETY: the handle lives.
        let all: BTreeMap<String, Value> = crate::json(&raw::text(|error| unsafe {
            sys::cs_trainer_metrics(self.handle.as_ptr(), error)
        })?)?;
        Ok(all.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect())
    }

    /// The config in force, with every default filled in.
    pub fn config(&self) -> Result<Value> {
        // SAFETY: the handle lives.
        crate::json(&raw::text(|error| unsafe {
            sys::cs_trainer_config(self.handle.as_ptr(), error)
        })?)
    }

    /// Scores the dev set of config key "dev" and runs the tasks of keys "evaluate.*" now, and
    /// remembers the weights if they are the best.
    pub fn evaluate(&mut self) -> Result<()> {
        self.evaluate_with(None)
    }

    /// The same with a flag that stops it between batches of texts: no figure is kept then.
    pub fn evaluate_with<'c>(&mut self, cancel: impl Into<Option<&'c Cancel>>) -> Result<()> {
        let cancel = Cancel::pointer(cancel.into());
        // SAFETY: two handles that live during the call.
        raw::check(|error| unsafe {
            sys::cs_trainer_evaluate(self.handle.as_ptr(), cancel, error)
        })?;
        Ok(())
    }

    /// The model with the weights as they are now, independent of the trainer from then on.
    pub fn model(&self) -> Result<Model> {
        self.trained(0)
    }

    /// The model with the best weights on the dev set, or the present ones where nothing was
    /// measured.
    pub fn best_model(&self) -> Result<Model> {
        self.trained(1)
    }

    fn trained(&self, best: i32) -> Result<Model> {
        let (handle, kind) = self.result(best)?;
        if kind == sys::CS_KIND_RERANKER {
            drop(Reranker { handle });
            return Err(Error::new(
                ErrorKind::State,
                "the run trains a reranker: ask for its reranker",
            ));
        }
        Ok(Model { handle })
    }

    /// A handle of the trained model, which the caller owns, and its kind.
    fn result(&self, best: i32) -> Result<(NonNull<sys::cs_model>, i32)> {
        // SAFETY: the handle lives.
        let handle = raw::create(|error| unsafe {
            sys::cs_trainer_model(self.handle.as_ptr(), best, error)
        })?;
        // SAFETY: the model was just made.
        Ok((handle, unsafe { sys::cs_model_kind(handle.as_ptr()) }))
    }

    /// The reranker with the weights as they are now, of a run that trains one; independent of the
    /// trainer from then on.
    pub fn reranker(&self) -> Result<Reranker> {
        self.trained_reranker(0)
    }

    /// The reranker with the best weights on the dev set, or the present ones where nothing was
    /// measured.
    pub fn best_reranker(&self) -> Result<Reranker> {
        self.trained_reranker(1)
    }

    fn trained_reranker(&self, best: i32) -> Result<Reranker> {
        let (handle, kind) = self.result(best)?;
        if kind != sys::CS_KIND_RERANKER {
            drop(Model { handle });
            return Err(Error::new(
                ErrorKind::State,
                "the run trains a sentence encoder: ask for its model",
            ));
        }
        Ok(Reranker { handle })
    }

    /// Writes the model as it is now, and beside it the state that [`resume`](Self::resume) needs.
    /// Atomic as [`Model::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = raw::path(path.as_ref())?;
        // SAFETY: the handle and the string live during the call.
        raw::check(|error| unsafe {
            sys::cs_trainer_save(self.handle.as_ptr(), path.as_ptr(), error)
        })?;
        Ok(())
    }

    /// Writes the best model on the dev set (the present one where nothing was measured), without
    /// state.
    pub fn save_best(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = raw::path(path.as_ref())?;
        // SAFETY: the handle and the string live during the call.
        raw::check(|error| unsafe {
            sys::cs_trainer_save_best(self.handle.as_ptr(), path.as_ptr(), error)
        })?;
        Ok(())
    }
}

fn made(status: i32) -> Step {
    if status == sys::CS_DONE {
        Step::Over
    } else {
        Step::Made
    }
}

impl Drop for Trainer {
    fn drop(&mut self) {
        // SAFETY: made by the library, freed once.
        unsafe { sys::cs_trainer_free(self.handle.as_ptr()) }
    }
}

impl std::fmt::Debug for Trainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trainer").field("step", &self.metric("step")).finish_non_exhaustive()
    }
}

/// The steps of a run; see [`Trainer::run`].
#[must_use = "a run makes its steps when it is iterated"]
#[derive(Debug)]
pub struct Run<'t> {
    trainer: &'t mut Trainer,
    cancel: Option<&'t Cancel>,
    over: bool,
}

impl Run<'_> {
    /// The trainer between two steps, to look at more metrics, save or evaluate: `while let
    /// Some(progress) = run.next() { run.trainer() ... }`.
    pub fn trainer(&mut self) -> &mut Trainer {
        self.trainer
    }
}

impl Iterator for Run<'_> {
    type Item = Result<Progress>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        match self.trainer.step_with(self.cancel) {
            Ok(Step::Made) => {
                let number = |name| self.trainer.metric(name);
                let total = number("total_steps").map(|total| total as u64);
                Some(Ok(Progress {
                    step: number("step").unwrap_or(0.0) as u64,
                    total,
                    loss: number("loss").unwrap_or(f64::NAN),
                }))
            }
            Ok(Step::Over) => {
                self.over = true;
                None
            }
            Err(error) => {
                self.over = true;
                Some(Err(error))
            }
        }
    }
}

impl std::iter::FusedIterator for Run<'_> {}
