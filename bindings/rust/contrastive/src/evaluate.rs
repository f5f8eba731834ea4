//! Evaluates models.
use contrastive_sys as sys;
use serde_json::Value;

use crate::cancel::Cancel;
use crate::config::Config;
use crate::error::Result;
use crate::model::Model;
use crate::raw;
use crate::reranker::Reranker;

/// The results of [`Model::evaluate`], [`Model::mine`] or [`Model::adapt`].
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Report(pub Value);

impl Report {
    /// The number at a path in the report, for instance `number(&["spearman", "all"])`; `None` if
    /// it is not in the report or could not be computed.
    pub fn number(&self, path: &[&str]) -> Option<f64> {
        self.at(path)?.as_f64()
    }

    /// The string at a path in the report, for instance `text(&["reason"])`.
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.as_str()
    }

    /// The boolean at a path in the report, for instance `flag(&["shipped"])`; false if there is
    /// none.
    pub fn flag(&self, path: &[&str]) -> bool {
        self.at(path).and_then(Value::as_bool).unwrap_or(false)
    }

    fn at(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(&self.0, |value, name| value.get(name))
    }
}

impl Model {
    /// Measures the model on a task: "sts", "retrieval", "geometry", ...
    /// [`describe_all`](crate::describe_all) lists all tasks and their keys. Config keys:
    /// [`describe(task)`](crate::describe()), such as "data".
    pub fn evaluate(&self, task: &str, config: &Config) -> Result<Report> {
        self.evaluate_with(task, config, None)
    }

    /// As [`evaluate`](Self::evaluate), with a flag that stops the call.
    pub fn evaluate_with<'c>(
        &self,
        task: &str,
        config: &Config,
        cancel: impl Into<Option<&'c Cancel>>,
    ) -> Result<Report> {
        // SAFETY: the model lives during the call.
        unsafe { evaluate(self.handle.as_ptr(), task, config, cancel.into()) }
    }
}

impl Reranker {
    /// Measures the reranker on a task, "sts" or "reranking"; the other tasks measure embeddings.
    /// Config keys: [`describe(task)`](crate::describe()), such as "data".
    pub fn evaluate(&self, task: &str, config: &Config) -> Result<Report> {
        self.evaluate_with(task, config, None)
    }

    /// As [`evaluate`](Self::evaluate), with a flag that stops the call.
    pub fn evaluate_with<'c>(
        &self,
        task: &str,
        config: &Config,
        cancel: impl Into<Option<&'c Cancel>>,
    ) -> Result<Report> {
        // SAFETY: the reranker lives during the call.
        unsafe { evaluate(self.handle.as_ptr(), task, config, cancel.into()) }
    }
}

/// # Safety
/// The model must live during the call.
unsafe fn evaluate(
    model: *const sys::cs_model,
    task: &str,
    config: &Config,
    cancel: Option<&Cancel>,
) -> Result<Report> {
    let (task, config, cancel) =
        (raw::name("the task", task)?, Config::pointer(Some(config)), Cancel::pointer(cancel));
    // SAFETY: the caller guarantees that the model lives; the other handles and the string are
    // borrowed.
    crate::json(&raw::text(|error| unsafe {
        sys::cs_evaluate(model, task.as_ptr(), config, cancel, error)
    })?)
    .map(Report)
}
