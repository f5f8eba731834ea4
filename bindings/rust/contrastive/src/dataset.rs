//! Training examples, and datasets of them.
use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::Path;
use std::ptr::NonNull;

use contrastive_sys as sys;

use crate::config::Config;
use crate::error::{Error, ErrorKind, Result};
use crate::raw;

/// A training example: one text, a pair, or a pair with hard negatives, and an optional score.
/// Texts are borrowed or owned.
///
/// ```
/// use contrastive::Example;
/// let borrowed: Example = ("a question", "its answer").into();
/// let owned: Example = vec![String::from("a question"), String::from("its answer")].into();
/// let scored = Example::pair("a cat", "the cat").scored(4.5);
/// # let _ = (borrowed, owned, scored);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Example<'a> {
    texts: Vec<Cow<'a, str>>,
    label: f64,
}

impl<'a> Example<'a> {
    /// One text.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self { texts: vec![text.into()], label: f64::NAN }
    }

    /// Two texts that belong together.
    pub fn pair(a: impl Into<Cow<'a, str>>, b: impl Into<Cow<'a, str>>) -> Self {
        Self { texts: vec![a.into(), b.into()], label: f64::NAN }
    }

    /// Adds hard negatives: texts that are similar to the first text but do not belong to it. Empty
    /// ones are ignored.
    pub fn with_negatives<T: Into<Cow<'a, str>>>(
        mut self,
        negatives: impl IntoIterator<Item = T>,
    ) -> Self {
        self.texts.extend(negatives.into_iter().map(Into::into));
        self
    }

    /// Adds a score, such as a human rating of the texts' similarity.
    pub fn scored(mut self, score: f64) -> Self {
        self.label = score;
        self
    }

    pub(crate) fn texts(&self) -> &[Cow<'a, str>] {
        &self.texts
    }

    pub(crate) fn label(&self) -> f64 {
        self.label
    }
}

impl<'a> From<&'a str> for Example<'a> {
    fn from(text: &'a str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Example<'_> {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl<'a, A: Into<Cow<'a, str>>, B: Into<Cow<'a, str>>> From<(A, B)> for Example<'a> {
    fn from((a, b): (A, B)) -> Self {
        Self::pair(a, b)
    }
}

impl<'a, T: Into<Cow<'a, str>>> From<Vec<T>> for Example<'a> {
    fn from(texts: Vec<T>) -> Self {
        Self { texts: texts.into_iter().map(Into::into).collect(), label: f64::NAN }
    }
}

impl<'a, 'e> From<&'e Example<'a>> for Example<'e>
where
    'a: 'e,
{
    fn from(example: &'e Example<'a>) -> Self {
        Self {
            texts: example.texts.iter().map(|text| Cow::Borrowed(text.as_ref())).collect(),
            label: example.label,
        }
    }
}

/// Training examples, in memory or in a file. You cannot add examples while a trainer uses the
/// dataset.
pub struct Dataset {
    pub(crate) handle: NonNull<sys::cs_dataset>,
}

// SAFETY: a handle may go to another thread; one thread at a time uses it, since it is not Sync.
unsafe impl Send for Dataset {}

impl Dataset {
    /// Creates an empty dataset in memory. Add examples with [`add`](Self::add) and
    /// [`extend`](Self::extend).
    pub fn new() -> Result<Self> {
        // SAFETY: no arguments but the error's place.
        raw::create(|error| unsafe { sys::cs_dataset_new(error) }).map(|handle| Self { handle })
    }

    /// Creates a dataset in memory from an iterator of texts, pairs or examples.
    pub fn from_examples<'a, E: Into<Example<'a>>>(
        examples: impl IntoIterator<Item = E>,
    ) -> Result<Self> {
        let mut data = Self::new()?;
        data.extend(examples)?;
        Ok(data)
    }

    /// Opens a file with one example per line: .txt, .tsv or .jsonl, optionally compressed with
    /// gzip. The lines stay on disk, so the file may be larger than memory.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, None)
    }

    /// Opens a file with options. Config keys: [`describe("data")`](crate::describe()).
    pub fn open_with<'c>(
        path: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
    ) -> Result<Self> {
        let (path, config) = (raw::path(path.as_ref())?, Config::pointer(config.into()));
        // SAFETY: the string and the config live during the call.
        raw::create(|error| unsafe { sys::cs_dataset_open(path.as_ptr(), config, error) })
            .map(|handle| Self { handle })
    }

    /// Reads examples, one per line, until the end of `reader`. Set "data.format" in `config`. The
    /// examples are kept in an unnamed file in the temporary folder, which is removed with the last
    /// user of the dataset.
    ///
    /// ```
    /// # fn main() -> contrastive::Result<()> {
    /// use contrastive::{Config, Dataset};
    /// let lines = "how do I reset it\thold the button\nwhere is my parcel\tsee your account\n";
    /// let format = Config::from_json(r#"{"data.format": "tsv"}"#)?;
    /// let data = Dataset::read(lines.as_bytes(), &format)?;
    /// assert_eq!(data.len(), 2);
    /// # Ok(()) }
    /// ```
    pub fn read<'c>(mut reader: impl Read, config: impl Into<Option<&'c Config>>) -> Result<Self> {
        let failed = |error| Error::caused(ErrorKind::Io, "reading examples", error);
        let mut file = TemporaryFile::new().map_err(failed)?;
        std::io::copy(&mut reader, &mut file.file)
            .and_then(|_| file.file.flush())
            .map_err(failed)?;
        Self::open_with(&file.path, config) // the library has it open and does not need the name
    }

    /// Appends one example. All examples of a dataset are single texts, or all are pairs.
    pub fn add<'a>(&mut self, example: impl Into<Example<'a>>) -> Result<()> {
        let example = example.into();
        let columns = raw::narrow("the number of texts", example.texts.len())?;
        let texts: Vec<&[u8]> = example.texts.iter().map(|text| text.as_bytes()).collect();
        raw::texts(&texts, |places, lengths, _| {
            // SAFETY: the handle, and as many texts as are told, live during the call, which copies
            // them.
            raw::check(|error| unsafe {
                sys::cs_dataset_add_texts(
                    self.handle.as_ptr(),
                    places,
                    lengths,
                    columns,
                    example.label,
                    error,
                )
            })
        })?;
        Ok(())
    }

    /// Appends all examples of an iterator. If one fails, the examples before it stay.
    pub fn extend<'a, E: Into<Example<'a>>>(
        &mut self,
        examples: impl IntoIterator<Item = E>,
    ) -> Result<()> {
        examples.into_iter().try_for_each(|example| self.add(example))
    }

    /// The number of examples.
    pub fn len(&self) -> usize {
        // SAFETY: the handle lives.
        unsafe { sys::cs_dataset_size(self.handle.as_ptr()) }.max(0) as usize
    }

    /// Whether the dataset is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Drop for Dataset {
    fn drop(&mut self) {
        // SAFETY: made by the library, freed once.
        unsafe { sys::cs_dataset_free(self.handle.as_ptr()) }
    }
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dataset of {} examples", self.len())
    }
}

/// A new temporary file, readable only by its owner. Its name is removed when this object is
/// dropped.
struct TemporaryFile {
    path: std::path::PathBuf,
    file: std::fs::File,
}

impl TemporaryFile {
    fn new() -> std::io::Result<Self> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir()
                .join(format!("contrastive-{}-{number}.data", std::process::id()));
            let mut options = std::fs::OpenOptions::new();
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Self { path, file }),
                // The file is from an earlier process with our ID.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path); // ignore errors: the file may already be gone
    }
}
