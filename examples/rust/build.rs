//! Lets the programs find the library where it was when they were built; without this, ldconfig or
//! LD_LIBRARY_PATH does.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("DEP_CONTRASTIVE_RUST_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
