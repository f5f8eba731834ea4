//! Vectors as rows of floats, owned and borrowed.
use std::path::Path;

use contrastive_sys as sys;

use crate::error::{Error, ErrorKind, Result};
use crate::raw;

/// Vectors of one dimension, row by row in one `Vec`. `&vectors[i]` is a row, and `&vectors` is an
/// iterator of the rows.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Vectors {
    values: Vec<f32>,
    dimension: usize,
}

/// Vectors as they are in a serialized form, which may be wrong.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked {
    values: Vec<f32>,
    dimension: usize,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Vectors {
    type Error = Error;

    fn try_from(vectors: Unchecked) -> Result<Self> {
        Self::new(vectors.values, vectors.dimension)
    }
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

    /// Appends copies of vectors of the same dimension.
    pub fn extend<'a>(&mut self, rows: impl Into<Rows<'a>>) -> Result<()> {
        let rows = rows.into();
        if self.is_empty() {
            self.dimension = rows.dimension;
        }
        alike(Rows::from(&*self), rows)?;
        self.values.try_reserve(rows.values.len()).map_err(|error| {
            Error::caused(ErrorKind::NoMemory, &format!("{} vectors", rows.len()), error)
        })?;
        self.values.extend_from_slice(rows.values);
        Ok(())
    }

    /// Writes the vectors to a file of NumPy (.npy), as float32 [rows, dimension]. The file is
    /// replaced atomically.
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        Rows::from(self).save_npy(path)
    }

    /// Reads vectors from a file of NumPy (.npy): [rows, dimension] of float32.
    pub fn load_npy(path: impl AsRef<Path>) -> Result<Self> {
        let path = raw::path(path.as_ref())?;
        let (mut n, mut dimension) = (0, 0);
        let mut load = |values: *mut f32, n_floats: usize| {
            // SAFETY: the string lives during the call, and the places of the results too; there is
            // room for the given number of floats.
            raw::check(|error| unsafe {
                let n_floats = n_floats as i64;
                sys::cs_npy_load(path.as_ptr(), values, n_floats, &mut n, &mut dimension, error)
            })
            .map(|_| (n.max(0) as usize, dimension.max(0) as usize))
        };
        let (rows, dimension) = load(std::ptr::null_mut(), 0)?;
        let mut values = raw::array("the vectors", rows.checked_mul(dimension), 0.0)?;
        if !values.is_empty() {
            load(values.as_mut_ptr(), values.len())?;
        }
        Ok(Self { values, dimension })
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

    /// The number of floats in a row.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Writes the vectors to a file of NumPy (.npy), as [`Vectors::save_npy`] does.
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = raw::path(path.as_ref())?;
        let (n, dimension) = (self.len() as i64, self.dimension as i64);
        // SAFETY: the string and the rows live during the call.
        raw::check(|error| unsafe {
            sys::cs_npy_save(path.as_ptr(), self.values.as_ptr(), n, dimension, error)
        })?;
        Ok(())
    }
}

/// One row. Panics if the row does not exist.
impl std::ops::Index<usize> for Vectors {
    type Output = [f32];

    fn index(&self, i: usize) -> &[f32] {
        self.row(i)
    }
}

impl<'a> IntoIterator for &'a Vectors {
    type Item = &'a [f32];
    type IntoIter = std::slice::ChunksExact<'a, f32>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows()
    }
}

impl<'a> IntoIterator for Rows<'a> {
    type Item = &'a [f32];
    type IntoIter = std::slice::ChunksExact<'a, f32>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.chunks_exact(self.dimension.max(1))
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
