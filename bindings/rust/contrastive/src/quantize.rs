//! Quantizes embeddings to fewer bytes.
use contrastive_sys as sys;

use crate::error::{Error, ErrorKind, Result};
use crate::raw;
use crate::vectors::Rows;

/// The range of each dimension over a sample, for [`quantize_int8`]. Use the same calibration for a
/// corpus and for all vectors that are compared with it, and store it with them.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Calibration {
    values: Vec<f32>,
}

impl Calibration {
    /// Measures the ranges over a sample. A few hundred vectors are enough for good estimates.
    pub fn of<'a>(sample: impl Into<Rows<'a>>) -> Result<Self> {
        let sample = sample.into();
        if sample.is_empty() {
            return Err(Error::argument("the sample has no vectors: there is no range to measure"));
        }
        let mut values = raw::array("the calibration", sample.dimension.checked_mul(2), 0.0)?;
        let (n, dimension) = (sample.len() as i64, sample.dimension as i64);
        // SAFETY: the two arrays have the given lengths.
        raw::check(|error| unsafe {
            sys::cs_quantize_calibrate(
                sample.values.as_ptr(),
                n,
                dimension,
                values.as_mut_ptr(),
                values.len() as i64,
                error,
            )
        })?;
        Ok(Self { values })
    }

    /// The minimum of each dimension.
    pub fn starts(&self) -> &[f32] {
        &self.values[..self.values.len() / 2]
    }

    /// 1/255 of the range of each dimension.
    pub fn steps(&self) -> &[f32] {
        &self.values[self.values.len() / 2..]
    }
}

/// Converts each value to IEEE half precision, rounded to nearest, ties to even. Returns the bits.
pub fn quantize_float16<'a>(vectors: impl Into<Rows<'a>>) -> Result<Vec<u16>> {
    let rows = vectors.into();
    let mut halves = raw::array("the halves", Some(rows.values.len()), 0_u16)?;
    quantize(rows, sys::CS_PRECISION_FLOAT16, None, halves.as_mut_ptr().cast(), 2 * halves.len())?;
    Ok(halves)
}

/// Converts each value to a byte. Values outside the calibrated range saturate.
pub fn quantize_int8<'a>(
    vectors: impl Into<Rows<'a>>,
    calibration: &Calibration,
) -> Result<Vec<i8>> {
    let rows = vectors.into();
    if Some(calibration.values.len()) != rows.dimension.checked_mul(2) {
        let message = format!(
            "a calibration of dimension {} for vectors of dimension {}",
            calibration.values.len() / 2,
            rows.dimension
        );
        return Err(Error::new(ErrorKind::Mismatch, message));
    }
    let mut bytes = raw::array("the bytes", Some(rows.values.len()), 0_i8)?;
    quantize(
        rows,
        sys::CS_PRECISION_INT8,
        Some(calibration),
        bytes.as_mut_ptr().cast(),
        bytes.len(),
    )?;
    Ok(bytes)
}

/// Converts each value to a bit, which is 1 if the value is above 0. The highest bit comes first. A
/// row has (dimension + 7) / 8 bytes.
pub fn quantize_binary<'a>(vectors: impl Into<Rows<'a>>) -> Result<Vec<u8>> {
    let rows = vectors.into();
    let mut bytes =
        raw::array("the bits", rows.len().checked_mul(rows.dimension.div_ceil(8)), 0_u8)?;
    quantize(rows, sys::CS_PRECISION_UBINARY, None, bytes.as_mut_ptr(), bytes.len())?;
    Ok(bytes)
}

/// The caller guarantees that `output` has room for `n_bytes`.
fn quantize(
    rows: Rows<'_>,
    precision: i32,
    calibration: Option<&Calibration>,
    output: *mut u8,
    n_bytes: usize,
) -> Result<()> {
    let calibration =
        calibration.map_or(std::ptr::null(), |calibration| calibration.values.as_ptr());
    let (n, dimension) = (rows.len() as i64, rows.dimension as i64);
    // SAFETY: the arrays have the given lengths; a calibration has twice the dimension.
    raw::check(|error| unsafe {
        sys::cs_quantize(
            rows.values.as_ptr(),
            n,
            dimension,
            precision,
            calibration,
            output,
            n_bytes as i64,
            error,
        )
    })?;
    Ok(())
}
