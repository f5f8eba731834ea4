//! The library inside the program, which is unpacked to be loaded.
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

// `FILES`: names and contents; `FINGERPRINT`: a number of the contents. By build.rs.
include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The folders to unpack into, the best first: one in the user's cache, which later processes
/// use again, and a new one in the temporary folder, which nobody removes.
pub(crate) fn folders() -> Vec<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_vendor = "apple") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    let name = format!("{}-{FINGERPRINT:016x}", env!("CARGO_PKG_VERSION"));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let own = format!("contrastive-{name}-{}-{now}", std::process::id());
    cache
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("contrastive").join(name))
        .into_iter()
        .chain([std::env::temp_dir().join(own)])
        .collect()
}

/// Writes the files that are not in the folder yet, or that differ. A file gets its name when it is
/// complete, so that several processes may unpack at once.
pub(crate) fn unpack(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    for (name, content) in FILES {
        let file = folder.join(name);
        if fs::read(&file).is_ok_and(|present| present == *content) {
            continue;
        }
        let partial = folder.join(format!("{name}.{}", std::process::id()));
        let mut output = fs::File::create(&partial)?;
        let written = output.write_all(content).and_then(|()| output.sync_all());
        drop(output);
        if let Err(error) = written.and_then(|()| fs::rename(&partial, &file)) {
            let _ = fs::remove_file(&partial); // the first error is the reason
            return Err(error);
        }
    }
    Ok(())
}
