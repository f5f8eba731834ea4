//! Lets this crate's own tests find the library when they run, and tells dependents its folder:
//! DEP_CONTRASTIVE_RUST_LIB_DIR in their build scripts.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("DEP_CONTRASTIVE_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
        println!("cargo:lib_dir={folder}");
    }
}
