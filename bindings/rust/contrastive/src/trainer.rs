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

/// The progress of a run after a step, from [`Trainer::run`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Progress {
    /// The number of updates so far.
    pub step: u64,
    /// The number of updates of the whole run, if it is known.
    pub total: Option<u64>,
    /// The loss of this update.
    pub loss: f64,
}

/// A training run. You write the training loop, and can read metrics, save, evaluate or stop
/// between two steps. There are no callbacks. Training works on a copy of the weights and does not
/// change the model that it started from. [`model`](Self::model) returns the result.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/models/bert_st");
/// use contrastive::{Config, Dataset, Model, Trainer};
/// let model = Model::load(folder)?;
/// let pairs = [("the cat sat", "a cat sits"), ("a dog runs", "the dog ran")];
/// let data = Dataset::from_examples(pairs)?;
/// let config = Config::from_json(r#"{"method": "mnrl", "max_steps": 3, "batch_size": 2}"#)?;
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
/// A trainer can be moved to another thread, but only one thread at a time can use it. The same is
/// true of datasets and configs:
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
    /// Starts a run. Config keys: [`describe("train")`](crate::describe()), such as "method". If
    /// `data` is `None`, only [`batch`](Self::batch) works. The trainer keeps what it needs of the
    /// model and data, so you may drop them before the trainer.
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

    /// Resumes a run from the folder that [`save`](Self::save) wrote. On the CPU the result is
    /// bit-identical to that of an uninterrupted run. Pass the model and data that the run started
    /// with. Overrides are keys that do not change the run so far, such as "max_steps".
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

    /// Starts a run that trains an existing reranker further, with a method that trains rerankers.
    /// [`reranker`](Self::reranker) returns the result. To make a reranker out of a [`Model`], call
    /// [`new`](Self::new) with such a method.
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

    /// Resumes a run that [`of_reranker`](Self::of_reranker) started, as [`resume`](Self::resume)
    /// does.
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

    /// Validates a training config without a model and without data.
    pub fn check(config: &Config) -> Result<()> {
        Self::check_all(config, None, None)
    }

    /// Validates a training config against the model in this folder as well. It reads only
    /// config.json and modules.json, and also finds layers that the model does not have, and texts
    /// longer than its position embeddings allow.
    pub fn check_for(config: &Config, model: impl AsRef<Path>) -> Result<()> {
        Self::check_all(config, None, Some(model.as_ref()))
    }

    /// Validates a training config against a model and a dataset. It also finds examples without
    /// the required pairs or labels, too few examples for the warm-up, and configured files that
    /// are missing or have the wrong format. Add the keys "device" and "precision" with which you
    /// will load the model to check those too. If the model is `None`, nothing about it is checked.
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

    /// Makes one update of the weights. The first call also does the method's one-time preparation,
    /// which may take minutes. After an error of kind Numeric the weights are unchanged.
    pub fn step(&mut self) -> Result<Step> {
        self.step_with(None)
    }

    /// As [`step`](Self::step), with a flag that stops the call before the update or during the
    /// evaluation after it. A later call makes the missing evaluation. The metric "step" tells
    /// whether the update was made.
    pub fn step_with<'c>(&mut self, cancel: impl Into<Option<&'c Cancel>>) -> Result<Step> {
        let cancel = Cancel::pointer(cancel.into());
        // SAFETY: two handles that live during the call.
        raw::check(|error| unsafe { sys::cs_train_step(self.handle.as_ptr(), cancel, error) })
            .map(made)
    }

    /// Makes one update on your own examples, for example from a queue, a cursor or a channel. All
    /// examples must have the same number of texts. The texts are not copied.
    ///
    /// After an error, read the metric "step" before you pass the same examples again. If it has
    /// increased, the update was made and the evaluation after it failed.
    pub fn batch(&mut self, examples: &[Example<'_>]) -> Result<Step> {
        self.batch_with(examples, None)
    }

    /// As [`batch`](Self::batch), with a flag as in [`Trainer::step_with`].
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
        raw::texts(&texts, |places, lengths, _| {
            // SAFETY: the handle and the given numbers of texts and labels live during the call.
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

    /// An iterator that makes one step per item, to the end of the run. You can stop at any item
    /// and continue the run later.
    pub fn run(&mut self) -> Run<'_> {
        self.run_with(None)
    }

    /// As [`run`](Self::run), with a flag that stops the run. The last item is then an error of
    /// kind Cancelled.
    pub fn run_with<'t>(&'t mut self, cancel: impl Into<Option<&'t Cancel>>) -> Run<'t> {
        Run { trainer: self, cancel: cancel.into(), over: false }
    }

    /// The current value of a metric: "loss", "lr", "step", "total_steps", "grad_norm",
    /// "tokens_per_second", "dev", ..., or the result of a task that the run evaluates, such as
    /// "sts.spearman.all". `None` if it is unknown or not measured yet.
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

    /// The effective config, with every default filled in.
    pub fn config(&self) -> Result<Value> {
        // SAFETY: the handle lives.
        crate::json(&raw::text(|error| unsafe {
            sys::cs_trainer_config(self.handle.as_ptr(), error)
        })?)
    }

    /// Evaluates now: scores the dev set of config key "dev", runs the tasks of keys "evaluate.*",
    /// and keeps the weights if they are the best so far.
    pub fn evaluate(&mut self) -> Result<()> {
        self.evaluate_with(None)
    }

    /// As [`evaluate`](Self::evaluate), with a flag that stops the call between batches of texts.
    /// If it is stopped, no result is kept.
    pub fn evaluate_with<'c>(&mut self, cancel: impl Into<Option<&'c Cancel>>) -> Result<()> {
        let cancel = Cancel::pointer(cancel.into());
        // SAFETY: two handles that live during the call.
        raw::check(|error| unsafe {
            sys::cs_trainer_evaluate(self.handle.as_ptr(), cancel, error)
        })?;
        Ok(())
    }

    /// Returns a copy of the model in its current state. Further training does not change the copy.
    pub fn model(&self) -> Result<Model> {
        self.trained(0)
    }

    /// Returns the model with the best weights on the dev set, or with the current weights if
    /// nothing was measured yet.
    pub fn best_model(&self) -> Result<Model> {
        self.trained(1)
    }

    fn trained(&self, best: i32) -> Result<Model> {
        let (handle, kind) = self.result(best)?;
        if kind == sys::CS_KIND_RERANKER {
            drop(Reranker { handle: handle.into() });
            return Err(Error::new(
                ErrorKind::State,
                "the run trains a reranker: ask for its reranker",
            ));
        }
        Ok(Model { handle: handle.into() })
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

    /// Returns a copy of the reranker in its current state, if the run trains one. Further training
    /// does not change the copy.
    pub fn reranker(&self) -> Result<Reranker> {
        self.trained_reranker(0)
    }

    /// Returns the reranker with the best weights on the dev set, or with the current weights if
    /// nothing was measured yet.
    pub fn best_reranker(&self) -> Result<Reranker> {
        self.trained_reranker(1)
    }

    fn trained_reranker(&self, best: i32) -> Result<Reranker> {
        let (handle, kind) = self.result(best)?;
        if kind != sys::CS_KIND_RERANKER {
            drop(Model { handle: handle.into() });
            return Err(Error::new(
                ErrorKind::State,
                "the run trains a sentence encoder: ask for its model",
            ));
        }
        Ok(Reranker { handle: handle.into() })
    }

    /// Writes the current model and, in the same folder, the state that [`resume`](Self::resume)
    /// needs. The save is atomic, as [`Model::save`] is.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = raw::path(path.as_ref())?;
        // SAFETY: the handle and the string live during the call.
        raw::check(|error| unsafe {
            sys::cs_trainer_save(self.handle.as_ptr(), path.as_ptr(), error)
        })?;
        Ok(())
    }

    /// Writes the best model on the dev set, or the current one if nothing was measured yet. The
    /// state for [`resume`](Self::resume) is not written.
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
    /// The trainer between two steps, to read more metrics, save or evaluate: `while let
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
