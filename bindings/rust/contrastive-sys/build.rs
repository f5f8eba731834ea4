//! Finds libcontrastive: the file or folder that CONTRASTIVE_LIBRARY names, else pkg-config's `contrastive`, else the repository's own build.
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CONTRASTIVE_LIBRARY");
    if std::env::var_os("DOCS_RS").is_some() {
        return; // documentation is made where there is no library
    }
    let folder = named().or_else(installed).or_else(built).unwrap_or_else(|| {
        panic!(
            "libcontrastive was not found: neither CONTRASTIVE_LIBRARY (the library or its folder) is set, nor does pkg-config know `contrastive`, \
             nor is there build/release/libcontrastive.so in the repository around this crate"
        )
    });
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib=contrastive");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display()); // of this crate's own tests
    println!("cargo:lib_dir={}", folder.display()); // DEP_CONTRASTIVE_LIB_DIR of the crates that depend on this one
}

fn named() -> Option<PathBuf> {
    let named = PathBuf::from(std::env::var_os("CONTRASTIVE_LIBRARY").filter(|value| !value.is_empty())?);
    let folder = if named.is_dir() { named.clone() } else { named.parent().unwrap_or(Path::new("/")).to_path_buf() };
    let folder = folder.canonicalize().unwrap_or(folder);
    assert!(folder.join("libcontrastive.so").exists(), "CONTRASTIVE_LIBRARY is {}, but no libcontrastive.so is there", named.display());
    Some(folder)
}

fn installed() -> Option<PathBuf> {
    let library = pkg_config::Config::new().cargo_metadata(false).atleast_version("0.1").probe("contrastive").ok()?;
    library.link_paths.into_iter().chain([PathBuf::from("/usr/lib")]).next()
}

fn built() -> Option<PathBuf> {
    let crate_folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let folder = crate_folder.join("../../../build/release").canonicalize().ok()?;
    folder.join("libcontrastive.so").exists().then_some(folder)
}
