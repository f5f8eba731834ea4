//! LibTorch and the training plugin, in separate processes, because they cannot be unloaded.
mod common;

use std::path::Path;
use std::process::Command;

use common::{begin, config, fails, load, pairs};
use contrastive::{build_info, score, set_libtorch, ErrorKind, Metric, Trainer};

const AGAIN: &str = "CONTRASTIVE_TEST_LIBTORCH";

/// Runs one test of this program again with `folder`, in another environment.
fn again(test: &str, folder: &Path, environment: &[(&str, &Path)]) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", test, "--nocapture"])
        .env_remove("CONTRASTIVE_LIBTORCH")
        .env(AGAIN, folder)
        .envs(environment.iter().copied());
    let output = child.output().unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn begins() -> contrastive::Result<Trainer> {
    let data = pairs();
    Trainer::new(&load(), &data, &config(r#"{"method": "clsr", "max_steps": 1, "batch_size": 4}"#))
}

/// Preloads a copy of the library that is alone in a folder. The library that the program was
/// linked with has the same SONAME, so it is not loaded.
#[test]
fn an_installation_that_only_embeds_says_what_training_needs() {
    if let Some(folder) = std::env::var_os(AGAIN) {
        return embeds_alone(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().canonicalize().unwrap().join("libcontrastive.so.0");
    let library = build_info().unwrap().library_path;
    std::fs::copy(library, &alone).unwrap();
    again(
        "an_installation_that_only_embeds_says_what_training_needs",
        alone.parent().unwrap(),
        &[("LD_PRELOAD", &alone)],
    );
}

fn embeds_alone(folder: &Path) {
    let vectors = load().encode(&["the cat sat", "the cat sat"]).unwrap();
    assert!(score(vectors.row(0), vectors.row(1), Metric::Cosine).unwrap() > 0.999);
    fails(
        begins(),
        ErrorKind::Unsupported,
        &format!("libcontrastive-torch.so.0 is neither in {}", folder.display()),
    );
    let gpu = config(r#"{"device": "cuda"}"#);
    fails(
        contrastive::Model::load_with(common::fixture("bert_st"), &gpu),
        ErrorKind::Device,
        "libcontrastive-torch.so.0",
    );
    assert_eq!(load().encode(&["the cat sat", "the cat sat"]).unwrap(), vectors);
    let build = build_info().unwrap();
    assert_eq!((build.libtorch.as_str(), build.libtorch_path.as_str()), ("", ""));
    assert!(
        build.libtorch_reason.contains("libcontrastive-torch.so.0")
            && build.library_path.starts_with(folder.to_str().unwrap()),
        "{build:?}"
    );
}

/// If the configured path has no LibTorch, the first call that needs it fails. Another path may
/// then be set, until one is loaded.
#[test]
fn libtorch_is_taken_from_where_it_is_named() {
    if let Some(folder) = std::env::var_os(AGAIN) {
        return takes_the_named(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(build_info().unwrap().libtorch_path, folder.path().join("lib"))
        .unwrap();
    again(
        "libtorch_is_taken_from_where_it_is_named",
        folder.path(),
        &[("CONTRASTIVE_LIBTORCH", Path::new("/nowhere/by/variable"))],
    );
}

fn takes_the_named(folder: &Path) {
    fails(
        begins(),
        ErrorKind::Unsupported,
        "/nowhere/by/variable (CONTRASTIVE_LIBTORCH) is not a LibTorch",
    );
    set_libtorch("/nowhere/by/call").unwrap();
    fails(begins(), ErrorKind::Unsupported, "/nowhere/by/call (cs_set_libtorch) is not a LibTorch");
    set_libtorch("").unwrap();
    fails(begins(), ErrorKind::Unsupported, "/nowhere/by/variable");
    set_libtorch(folder).unwrap();
    assert_eq!(begin(&load(), &pairs(), "{}").run().count(), 6);
    assert_eq!(build_info().unwrap().libtorch_path, folder.join("lib").to_str().unwrap());
    fails(set_libtorch("/nowhere"), ErrorKind::State, "is loaded from");
    fails(set_libtorch("a\0b"), ErrorKind::Argument, "NUL");
}
