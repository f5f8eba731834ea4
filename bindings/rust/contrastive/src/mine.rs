//! Mining of hard negatives.
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
use crate::reranker::Reranker;

impl Model {
    /// Mines hard negatives: finds, for pairs (anchor, positive), texts that are like the anchor
    /// and no answer to it, and writes them as a file to train on. The search is exact. The corpus
    /// is texts; `None`: the positives, which are candidates in any case. The name of the output
    /// ends in .jsonl or .tsv; the file is replaced when all is found. Keys:
    /// [`describe("mining")`](crate::describe()). The report says how many rows were written, what
    /// each filter took out, what the scores are like, and shows a sample.
    pub fn mine<'d, 'c>(
        &self,
        pairs: &Dataset,
        corpus: impl Into<Option<&'d Dataset>>,
        output: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
    ) -> Result<Report> {
        self.mine_with(pairs, corpus, output, config, None, None)
    }

    /// The same with a second model as `guide`, whose scores of the candidates decide, and a flag
    /// that stops it: the same call then goes on with what was embedded.
    pub fn mine_with<'d, 'c, 'm, 'f>(
        &self,
        pairs: &Dataset,
        corpus: impl Into<Option<&'d Dataset>>,
        output: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
        guide: impl Into<Option<&'m Model>>,
        cancel: impl Into<Option<&'f Cancel>>,
    ) -> Result<Report> {
        let (output, config, cancel) = (
            raw::path(output.as_ref())?,
            Config::pointer(config.into()),
            Cancel::pointer(cancel.into()),
        );
        let corpus = corpus.into().map_or(ptr::null(), |data| data.handle.as_ptr().cast_const());
        let guide = guide.into().map_or(ptr::null(), |model| model.handle.as_ptr().cast_const());
        let (model, pairs) = (self.handle.as_ptr(), pairs.handle.as_ptr());
        // SAFETY: the handles and the string live during the call.
        let report = raw::text(|error| unsafe {
            sys::cs_mine(model, guide, pairs, corpus, output.as_ptr(), config, cancel, error)
        })?;
        crate::json(&report).map(Report)
    }

    /// The same with a reranker of one label as the guide: it reads each candidate together with
    /// the anchor, which takes far longer.
    pub fn mine_reranked<'d, 'c, 'f>(
        &self,
        pairs: &Dataset,
        corpus: impl Into<Option<&'d Dataset>>,
        output: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
        guide: &Reranker,
        cancel: impl Into<Option<&'f Cancel>>,
    ) -> Result<Report> {
        let (output, config, cancel) = (
            raw::path(output.as_ref())?,
            Config::pointer(config.into()),
            Cancel::pointer(cancel.into()),
        );
        let corpus = corpus.into().map_or(ptr::null(), |data| data.handle.as_ptr().cast_const());
        let (model, guide, pairs) =
            (self.handle.as_ptr(), guide.handle.as_ptr(), pairs.handle.as_ptr());
        // SAFETY: the handles and the string live during the call.
        let report = raw::text(|error| unsafe {
            sys::cs_mine(model, guide, pairs, corpus, output.as_ptr(), config, cancel, error)
        })?;
        crate::json(&report).map(Report)
    }
}
