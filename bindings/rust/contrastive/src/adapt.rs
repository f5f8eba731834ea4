//! Adapts a model to pairs in one call.
use std::path::Path;
use std::ptr;

use contrastive_sys as sys;

use crate::cancel::Cancel;
use crate::config::Config;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::evaluate::Report;
use crate::model::Model;
use crate::raw;

impl Model {
    /// Adapts the model to pairs of a query and the document that answers it. It splits the pairs,
    /// evaluates the model, mines hard negatives, trains, evaluates again, and writes the new model
    /// to the folder `output` only if it is better. The corpus has more texts to search, in
    /// addition to the documents of the pairs; it may be `None`. Config keys:
    /// [`describe("adapt")`](crate::describe()). The report says whether the model was written
    /// ("shipped") and why ("reason"), and has the metrics before and after with their confidence
    /// intervals, and the reports of the steps.
    pub fn adapt<'d, 'c>(
        &self,
        pairs: &Dataset,
        corpus: impl Into<Option<&'d Dataset>>,
        output: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
    ) -> Result<Report> {
        self.adapt_with(pairs, corpus, output, config, None)
    }

    /// As [`adapt`](Self::adapt), with a flag that stops the call. If the call is stopped,
    /// repeating it later resumes the work.
    pub fn adapt_with<'d, 'c, 'f>(
        &self,
        pairs: &Dataset,
        corpus: impl Into<Option<&'d Dataset>>,
        output: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
        cancel: impl Into<Option<&'f Cancel>>,
    ) -> Result<Report> {
        let (output, config, cancel) = (
            raw::path(output.as_ref())?,
            Config::pointer(config.into()),
            Cancel::pointer(cancel.into()),
        );
        let corpus = corpus.into().map_or(ptr::null(), |data| data.handle.as_ptr().cast_const());
        let (model, pairs) = (self.handle.as_ptr(), pairs.handle.as_ptr());
        // SAFETY: the handles and the string live during the call.
        let report = raw::text(|error| unsafe {
            sys::cs_adapt(model, pairs, corpus, output.as_ptr(), config, cancel, error)
        })?;
        crate::json(&report).map(Report)
    }
}
