//! Finds libcontrastive: the file or folder that CONTRASTIVE_LIBRARY names, else pkg-config's
//! `contrastive`, else the build of the repository that contains this crate, if there is one. Links
//! the program with it; with the feature `bundled`, copies it into the program instead. With the
//! feature `load` alone, no library is needed to build.
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CONTRASTIVE_LIBRARY");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let has = |feature| std::env::var_os(feature).is_some();
    let bundled = has("CARGO_FEATURE_BUNDLED");
    if has("DOCS_RS") || (has("CARGO_FEATURE_LOAD") && !bundled) {
        return; // docs.rs has no library
    }
    let Some(folder) = named().or_else(installed).or_else(built) else {
        eprintln!(
            "libcontrastive was not found: pkg-config does not find `contrastive` 0.1 or \
             newer, and CONTRASTIVE_LIBRARY is not set. Install libcontrastive-dev; or unpack the \
             tarball, and set CONTRASTIVE_LIBRARY to its folder lib, or PKG_CONFIG_PATH to \
             lib/pkgconfig"
        );
        std::process::exit(1);
    };
    if bundled {
        return bundle(&folder);
    }
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib=contrastive");
    // For the tests of this crate.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    // Dependent crates get it as DEP_CONTRASTIVE_LIB_DIR.
    println!("cargo:lib_dir={}", folder.display());
}

/// The names of the library and of the training plugin in a target's folder.
fn names() -> [&'static str; 2] {
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("windows") => ["contrastive.dll", "contrastive-torch.dll"],
        Ok("macos") => ["libcontrastive.0.dylib", "libcontrastive-torch.0.dylib"],
        _ => ["libcontrastive.so.0", "libcontrastive-torch.so.0"],
    }
}

/// Writes what src/bundled.rs includes: the library, and the training plugin if it is there.
fn bundle(folder: &Path) {
    let (mut files, mut hash) = (String::new(), DefaultHasher::new());
    for name in names() {
        let path = folder.join(name);
        let Ok(content) = std::fs::read(&path) else { continue };
        println!("cargo:rerun-if-changed={}", path.display());
        files += &format!("    ({name:?}, include_bytes!({path:?})),\n");
        content.hash(&mut hash);
    }
    let number = hash.finish();
    let output = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(
        Path::new(&output).join("bundled.rs"),
        format!(
            "const FILES: &[(&str, &[u8])] = &[\n{files}];\n\
             const FINGERPRINT: u64 = 0x{number:016x};\n"
        ),
    )
    .expect("a file in OUT_DIR");
}

/// The file to bundle, or to link with.
fn wanted() -> &'static str {
    if std::env::var_os("CARGO_FEATURE_BUNDLED").is_some() {
        names()[0]
    } else {
        "libcontrastive.so"
    }
}

/// Whether a folder has the library.
fn holds(folder: &Path) -> bool {
    folder.join(wanted()).exists()
}

fn named() -> Option<PathBuf> {
    let named =
        PathBuf::from(std::env::var_os("CONTRASTIVE_LIBRARY").filter(|value| !value.is_empty())?);
    let folder = if named.is_dir() {
        named.clone()
    } else {
        named.parent().unwrap_or(Path::new("/")).to_path_buf()
    };
    let folder = folder.canonicalize().unwrap_or(folder);
    if !holds(&folder) {
        eprintln!(
            "CONTRASTIVE_LIBRARY is {}, which does not contain {}: \
             set it to the folder that does",
            named.display(),
            wanted()
        );
        std::process::exit(1);
    }
    Some(folder)
}

fn installed() -> Option<PathBuf> {
    let library = pkg_config::Config::new()
        .cargo_metadata(false)
        .atleast_version("0.1")
        .probe("contrastive")
        .ok()?;
    library.link_paths.into_iter().chain([PathBuf::from("/usr/lib")]).next()
}

fn built() -> Option<PathBuf> {
    let repository = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?).join("../../..");
    let folder = repository.join("build/release").canonicalize().ok()?;
    (repository.join("capi/include/contrastive/contrastive.h").exists() && holds(&folder))
        .then_some(folder)
}
