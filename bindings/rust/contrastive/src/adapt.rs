//! A model adapted to pairs in one call.
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
    /// Adapts the model to pairs of a query and the document that answers it: splits the pairs,
    /// tests the model, mines hard negatives, trains, tests again, and writes the result to the
    /// folder `output` only if it is better. The corpus is texts, what is searched beside the
    /// documents of the pairs; `None`: those alone. Keys: [`describe("adapt")`](crate::describe()).
    /// The report says whether the model was written ("shipped") and why ("reason"), the figures
    /// before and after with their intervals, and all that was found on the way.
    pub fn adapt<'d, 'c>(
        &self,
        pairs: &Dataset,
        corpus: impl Into<Option<&'d Dataset>>,
        output: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
    ) -> Result<Report> {
        self.adapt_with(pairs, corpus, output, config, None)
    }

    /// The same with a flag that stops it: the same call then goes on with what was done.
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
