//! Finds libcontrastive: the file or folder that CONTRASTIVE_LIBRARY names, else pkg-config's
//! `contrastive`, else the build of the repository that contains this crate, if there is one.
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CONTRASTIVE_LIBRARY");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if std::env::var_os("DOCS_RS").is_some() {
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
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib=contrastive");
    // For the tests of this crate.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    // Dependent crates get it as DEP_CONTRASTIVE_LIB_DIR.
    println!("cargo:lib_dir={}", folder.display());
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
    if !folder.join("libcontrastive.so").exists() {
        eprintln!(
            "CONTRASTIVE_LIBRARY is {}, which does not contain libcontrastive.so: \
             set it to the folder that does",
            named.display()
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
    (repository.join("capi/include/contrastive/contrastive.h").exists()
        && folder.join("libcontrastive.so").exists())
    .then_some(folder)
}
