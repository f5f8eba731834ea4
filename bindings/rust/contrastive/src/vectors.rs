//! Vectors as rows of floats, owned and borrowed.
use crate::error::{Error, ErrorKind, Result};
use crate::raw;

/// Vectors of one dimension, row by row in one `Vec`.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    values: Vec<f32>,
    dimension: usize,
}

/// Borrowed vectors of one dimension. `&Vectors` converts to it.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) dimension: usize,
}

impl Vectors {
    /// Wraps `values`, [rows, dimension], without a copy.
    pub fn new(values: Vec<f32>, dimension: usize) -> Result<Self> {
        Rows::new(&values, dimension)?;
        Ok(Self { values, dimension })
    }

    /// Copies rows of equal length.
    pub fn from_rows<R: AsRef<[f32]>>(rows: &[R]) -> Result<Self> {
        let (mut values, mut dimension) = (Vec::new(), 0);
        for (i, row) in rows.iter().enumerate() {
            let row = row.as_ref(); // once: a second call may return another slice
            if i == 0 {
                dimension = row.len();
                values = raw::room("the rows", rows.len().checked_mul(dimension))?;
            }
            if row.len() != dimension {
                return Err(Error::argument(format!(
                    "row {i} has {} values, row 0 has {dimension}",
                    row.len()
                )));
            }
            values.extend_from_slice(row);
        }
        Ok(Self { values, dimension })
    }

    pub(crate) fn whole(values: Vec<f32>, dimension: usize) -> Self {
        Self { values, dimension }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.dimension).unwrap_or(0)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of floats in a row.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// One row. Panics if the row does not exist.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.dimension..(i + 1) * self.dimension]
    }

    /// All rows, in order.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.values.chunks_exact(self.dimension.max(1))
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the underlying `Vec`.
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }
}

impl<'a> Rows<'a> {
    /// A view of `values` as [rows, dimension].
    pub fn new(values: &'a [f32], dimension: usize) -> Result<Self> {
        raw::narrow("the dimension", dimension)?; // with no rows it could be anything
        if !values.is_empty() && (dimension == 0 || values.len() % dimension != 0) {
            return Err(Error::argument(format!(
                "{} values are not whole rows of dimension {dimension}",
                values.len()
            )));
        }
        Ok(Self { values, dimension })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.dimension).unwrap_or(0)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<'a> From<&'a Vectors> for Rows<'a> {
    fn from(vectors: &'a Vectors) -> Self {
        Self { values: &vectors.values, dimension: vectors.dimension }
    }
}

pub(crate) fn alike(a: Rows<'_>, b: Rows<'_>) -> Result<()> {
    if a.dimension == b.dimension {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Mismatch,
        format!("vectors of dimension {} and of {}", a.dimension, b.dimension),
    ))
}
