//! Measuring models.
use contrastive_sys as sys;
use serde_json::Value;

use crate::cancel::Cancel;
use crate::config::Config;
use crate::error::Result;
use crate::model::Model;
use crate::raw;
use crate::reranker::Reranker;

/// What [`Model::evaluate`] measured, [`Model::mine`] found, or [`Model::adapt`] did.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Report(pub Value);

impl Report {
    /// The figure at a place in the report, for instance `number(&["spearman", "all"])`; `None` if
    /// it is not there, or could not be computed.
    pub fn number(&self, path: &[&str]) -> Option<f64> {
        self.at(path)?.as_f64()
    }

    /// The text at a place in the report, for instance `text(&["reason"])`.
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.as_str()
    }

    /// The truth value at a place in the report, for instance `flag(&["shipped"])`; false where
    /// there is none.
    pub fn flag(&self, path: &[&str]) -> bool {
        self.at(path).and_then(Value::as_bool).unwrap_or(false)
    }

    fn at(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(&self.0, |value, name| value.get(name))
    }
}

impl Model {
    /// Measures the model on a task: "sts", "retrieval", "geometry", ...
    /// [`describe_all`](crate::describe_all) has the keys of all tasks under their names. Keys:
    /// [`describe(task)`](crate::describe()), "data" among them.
    pub fn evaluate(&self, task: &str, config: &Config) -> Result<Report> {
        self.evaluate_with(task, config, None)
    }

    /// The same with a flag that stops it.
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
    /// Measures the reranker on a task, "sts" or "reranking": the other tasks measure embeddings.
    /// Keys: [`describe(task)`](crate::describe()), "data" among them.
    pub fn evaluate(&self, task: &str, config: &Config) -> Result<Report> {
        self.evaluate_with(task, config, None)
    }

    /// The same with a flag that stops it.
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
    // SAFETY: the model lives as the caller says, the other handles and the string are borrowed.
    crate::json(&raw::text(|error| unsafe {
        sys::cs_evaluate(model, task.as_ptr(), config, cancel, error)
    })?)
    .map(Report)
}
