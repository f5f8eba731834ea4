//! Mines hard negatives.
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
    /// Mines hard negatives. For each pair (anchor, positive) it finds texts that are similar to
    /// the anchor but do not answer it, and writes a file to train on. The search is exact. The
    /// corpus has the texts to search; the positives are always candidates, and the only ones if it
    /// is `None`. The name of the output file ends in .jsonl or .tsv. The file is replaced when
    /// mining has finished. Config keys: [`describe("mining")`](crate::describe()). The report has
    /// the number of rows written, how many candidates each filter removed, statistics of the
    /// scores, and a sample.
    pub fn mine<'d, 'c>(
        &self,
        pairs: &Dataset,
        corpus: impl Into<Option<&'d Dataset>>,
        output: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
    ) -> Result<Report> {
        self.mine_with(pairs, corpus, output, config, None, None)
    }

    /// As [`mine`](Self::mine), with a second model, `guide`, that scores the candidates, and a
    /// flag that stops the call. If the call is stopped, repeating it later reuses the embeddings
    /// already computed.
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

    /// As [`mine`](Self::mine), with a reranker with one label that scores the candidates. It reads
    /// each candidate together with the anchor, which is more accurate than comparing embeddings
    /// and takes far longer.
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
