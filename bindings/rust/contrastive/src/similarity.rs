//! Computes similarities of embeddings and finds the nearest ones.
use contrastive_sys as sys;

use crate::cancel::Cancel;
use crate::error::Result;
use crate::raw;
use crate::vectors::{alike, Rows, Vectors};

/// A similarity measure for two embeddings. A larger value always means more similar: the two
/// distances are negated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Metric {
    /// The cosine of the angle, in [-1, 1]; 0 if a vector is zero.
    #[default]
    Cosine = sys::CS_METRIC_COSINE as isize,
    /// The inner product.
    Dot = sys::CS_METRIC_DOT as isize,
    /// The negative L2 distance.
    Euclidean = sys::CS_METRIC_EUCLIDEAN as isize,
    /// The negative L1 distance.
    Manhattan = sys::CS_METRIC_MANHATTAN as isize,
}

/// Compares each vector of `a` with each of `b`. Row i has the scores of vector i of `a`.
pub fn similarity<'a, 'b>(
    a: impl Into<Rows<'a>>,
    b: impl Into<Rows<'b>>,
    metric: Metric,
) -> Result<Vectors> {
    let (a, b) = (a.into(), b.into());
    alike(a, b)?;
    let mut scores = raw::array("the scores", a.len().checked_mul(b.len()), 0.0)?;
    similarity_into(a, b, metric, &mut scores)?;
    Ok(Vectors::whole(scores, b.len()))
}

/// Compares vectors and writes the scores into the caller's memory, [a.len(), b.len()].
pub fn similarity_into<'a, 'b>(
    a: impl Into<Rows<'a>>,
    b: impl Into<Rows<'b>>,
    metric: Metric,
    scores: &mut [f32],
) -> Result<()> {
    let (a, b) = (a.into(), b.into());
    alike(a, b)?;
    let (n_a, n_b, dimension) = (a.len() as i64, b.len() as i64, a.dimension as i64);
    // SAFETY: the three arrays have the given lengths.
    raw::check(|error| unsafe {
        let (a, b, n_scores) = (a.values.as_ptr(), b.values.as_ptr(), scores.len() as i64);
        sys::cs_similarity(
            a,
            n_a,
            b,
            n_b,
            dimension,
            metric as i32,
            scores.as_mut_ptr(),
            n_scores,
            error,
        )
    })?;
    Ok(())
}

/// Compares two vectors.
pub fn score(a: &[f32], b: &[f32], metric: Metric) -> Result<f32> {
    let mut score = [0.0];
    similarity_into(
        Rows { values: a, dimension: a.len() },
        Rows { values: b, dimension: b.len() },
        metric,
        &mut score,
    )?;
    Ok(score[0])
}

/// A vector that a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hit {
    /// The vector's row in the corpus.
    pub index: usize,
    /// The vector's similarity to the query.
    pub score: f32,
}

/// Finds the `k` nearest vectors of a corpus for each query, best first. The search is exact. Hits
/// with equal scores are sorted by index. A corpus with fewer than `k` vectors gives fewer hits.
/// NaN or infinity in a vector is an error of kind Numeric, whose message names the vector.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// use contrastive::{search, Metric, Vectors};
/// let corpus = Vectors::from_rows(&[[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])?;
/// let query = Vectors::from_rows(&[[2.0, 0.0]])?;
/// let hits = search(&query, &corpus, 2, Metric::Cosine)?;
/// assert_eq!((hits[0][0].index, hits[0][1].index), (1, 2));
/// # Ok(()) }
/// ```
pub fn search<'a, 'b>(
    queries: impl Into<Rows<'a>>,
    corpus: impl Into<Rows<'b>>,
    k: usize,
    metric: Metric,
) -> Result<Vec<Vec<Hit>>> {
    search_with(queries, corpus, k, metric, None)
}

/// As [`search`], with a flag that stops the call.
pub fn search_with<'a, 'b, 'c>(
    queries: impl Into<Rows<'a>>,
    corpus: impl Into<Rows<'b>>,
    k: usize,
    metric: Metric,
    cancel: impl Into<Option<&'c Cancel>>,
) -> Result<Vec<Vec<Hit>>> {
    let (queries, corpus, cancel) = (queries.into(), corpus.into(), Cancel::pointer(cancel.into()));
    alike(queries, corpus)?;
    let width = raw::narrow("k", k)?.min(corpus.len().max(1).min(i32::MAX as usize) as i32);
    let room = queries.len().checked_mul(width as usize);
    let (mut indices, mut scores) =
        (raw::array("the hits", room, 0_i32)?, raw::array("the hits", room, 0.0_f32)?);
    let room = indices.len();
    let (n_queries, n_corpus, dimension) =
        (queries.len() as i64, corpus.len() as i64, queries.dimension as i64);
    // SAFETY: the four arrays have the given lengths, and the flag lives during the call.
    raw::check(|error| unsafe {
        let (queries, corpus) = (queries.values.as_ptr(), corpus.values.as_ptr());
        let (found, values) = (indices.as_mut_ptr(), scores.as_mut_ptr());
        sys::cs_search(
            queries,
            n_queries,
            corpus,
            n_corpus,
            dimension,
            metric as i32,
            width,
            found,
            values,
            room as i64,
            cancel,
            error,
        )
    })?;
    let row = |(indices, scores): (&[i32], &[f32])| {
        let found = indices.iter().zip(scores).take_while(|(index, _)| **index >= 0);
        found.map(|(index, score)| Hit { index: *index as usize, score: *score }).collect()
    };
    Ok(indices
        .chunks(width.max(1) as usize)
        .zip(scores.chunks(width.max(1) as usize))
        .map(row)
        .collect())
}
