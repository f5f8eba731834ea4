//! Vectors together with their texts, to search in memory.
use std::fs;
use std::iter::Zip;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::similarity::{search, Metric};
use crate::vectors::{Rows, Vectors};

const VECTORS: &str = "vectors.npy";
const TEXTS: &str = "index.json";
const METRICS: [(&str, Metric); 4] = [
    ("cosine", Metric::Cosine),
    ("dot", Metric::Dot),
    ("euclidean", Metric::Euclidean),
    ("manhattan", Metric::Manhattan),
];

/// Texts with their vectors, to search in memory. The search is exact. `&index` is an iterator of
/// the texts with their vectors.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/models/bert_st");
/// use contrastive::{Index, Model};
/// let model = Model::load(folder)?;
/// let index = Index::of(&model, ["A man is eating food.", "A girl plays the violin."])?;
/// for found in index.search_text(&model, "Someone has a meal.", 1)? {
///     println!("{:.3} {}", found.score, found.text);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    vectors: Vectors,
    texts: Vec<String>,
    metric: Metric,
}

/// A text of an [`Index`] that a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Found<'i> {
    /// The place of the text in the index.
    pub index: usize,
    /// The similarity of its vector to the query.
    pub score: f32,
    /// The text.
    pub text: &'i str,
}

/// The file with everything but the vectors.
#[derive(Serialize, Deserialize)]
struct Content<T> {
    metric: String,
    texts: T,
}

impl Index {
    /// An empty index, whose vectors are compared by the metric.
    pub fn new(metric: Metric) -> Self {
        Self { metric, ..Self::default() }
    }

    /// Embeds texts with the model. Their vectors are compared by the cosine.
    pub fn of(model: &Model, texts: impl IntoIterator<Item: Into<String>>) -> Result<Self> {
        let texts: Vec<String> = texts.into_iter().map(Into::into).collect();
        let vectors = model.encode(&texts)?;
        Ok(Self { vectors, texts, metric: Metric::Cosine })
    }

    /// Appends texts with their vectors. After an error the index is unchanged.
    pub fn add<'a>(
        &mut self,
        texts: impl IntoIterator<Item: Into<String>>,
        vectors: impl Into<Rows<'a>>,
    ) -> Result<()> {
        let (texts, vectors): (Vec<String>, _) =
            (texts.into_iter().map(Into::into).collect(), vectors.into());
        same_number(&texts, vectors.len())?;
        self.vectors.extend(vectors)?;
        self.texts.extend(texts);
        Ok(())
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// All texts.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// All vectors.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// How vectors are compared.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The texts with their vectors.
    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    /// Finds the `k` nearest texts for each query, best first, as [`search`] does.
    pub fn search<'a>(
        &self,
        queries: impl Into<Rows<'a>>,
        k: usize,
    ) -> Result<Vec<Vec<Found<'_>>>> {
        let queries = queries.into();
        let corpus = if self.is_empty() {
            Rows { values: &[], dimension: queries.dimension }
        } else {
            Rows::from(&self.vectors)
        };
        let found = |hit: crate::Hit| Found {
            index: hit.index,
            score: hit.score,
            text: &self.texts[hit.index],
        };
        Ok(search(queries, corpus, k, self.metric)?
            .into_iter()
            .map(|hits| hits.into_iter().map(found).collect())
            .collect())
    }

    /// Embeds a query and finds the `k` nearest texts, best first. If the model has a prompt for
    /// queries, embed the query yourself ([`Model::encode_with`]) and use [`search`](Self::search).
    pub fn search_text(
        &self,
        model: &Model,
        query: impl AsRef<[u8]>,
        k: usize,
    ) -> Result<Vec<Found<'_>>> {
        let query = model.encode([query])?;
        Ok(self.search(&query, k)?.pop().unwrap_or_default())
    }

    /// Writes the index to a folder: the vectors to `vectors.npy`, for NumPy, and the texts to
    /// `index.json`. Each file is replaced atomically.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = folder.as_ref();
        let failed = |error| Error::caused(ErrorKind::Io, &folder.display().to_string(), error);
        let metric = METRICS.iter().find(|(_, metric)| *metric == self.metric);
        let content =
            Content { metric: metric.map_or("", |(name, _)| name).to_string(), texts: &self.texts };
        let json = serde_json::to_vec(&content)
            .map_err(|error| Error::caused(ErrorKind::Internal, TEXTS, error))?;
        fs::create_dir_all(folder).map_err(failed)?;
        self.vectors.save_npy(folder.join(VECTORS))?;
        let partial = folder.join(format!("{TEXTS}.{}", std::process::id()));
        fs::write(&partial, json)
            .and_then(|()| fs::rename(&partial, folder.join(TEXTS)))
            .map_err(failed)
    }

    /// Reads a folder that [`save`](Self::save) wrote.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self> {
        let vectors = Vectors::load_npy(folder.as_ref().join(VECTORS))?;
        let file = folder.as_ref().join(TEXTS);
        let json = fs::read(&file).map_err(|error| {
            let kind = match error.kind() {
                std::io::ErrorKind::NotFound => ErrorKind::NotFound,
                _ => ErrorKind::Io,
            };
            Error::caused(kind, &file.display().to_string(), error)
        })?;
        let Content::<Vec<String>> { metric, texts } =
            serde_json::from_slice(&json).map_err(|error| {
                Error::caused(ErrorKind::Format, &file.display().to_string(), error)
            })?;
        let Some((_, metric)) = METRICS.iter().find(|(name, _)| *name == metric) else {
            let message = format!("{}: the metric '{metric}' is unknown", file.display());
            return Err(Error::new(ErrorKind::Format, message));
        };
        same_number(&texts, vectors.len())?;
        Ok(Self { vectors, texts, metric: *metric })
    }
}

fn same_number(texts: &[String], vectors: usize) -> Result<()> {
    if texts.len() == vectors {
        return Ok(());
    }
    let message = format!("there are {} texts and {vectors} vectors", texts.len());
    Err(Error::new(ErrorKind::Mismatch, message))
}

impl<'i> IntoIterator for &'i Index {
    type Item = (&'i String, &'i [f32]);
    type IntoIter = Zip<std::slice::Iter<'i, String>, std::slice::ChunksExact<'i, f32>>;

    fn into_iter(self) -> Self::IntoIter {
        self.texts.iter().zip(self.vectors.rows())
    }
}
