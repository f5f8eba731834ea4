//! Every call refuses a library with another binary interface.
mod common;

use std::process::Command;

use common::{fails, fixture};
use contrastive::{
    build_info, describe, score, search, set_libtorch, set_log_sink, set_threads, Calibration,
    Config, Dataset, ErrorKind, LogLevel, Metric, Model, Vectors,
};

const AGAIN: &str = "CONTRASTIVE_TEST_OTHER_ABI";

/// Runs itself again with a preloaded library that has another number.
#[test]
fn a_library_of_another_interface_is_refused() {
    if std::env::var_os(AGAIN).is_some() {
        return refuses();
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, other) = (folder.path().join("other.c"), folder.path().join("other.so"));
    std::fs::write(&source, "int cs_abi_version(void) { return 77; }\n").unwrap();
    assert!(Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&other, &source])
        .status()
        .unwrap()
        .success());
    let again = Command::new(std::env::current_exe().unwrap())
        .arg("--nocapture")
        .env("LD_PRELOAD", &other)
        .env(AGAIN, "1")
        .output()
        .unwrap();
    assert!(
        again.status.success(),
        "{}{}",
        String::from_utf8_lossy(&again.stdout),
        String::from_utf8_lossy(&again.stderr)
    );
}

fn refuses() {
    const BOTH: &str = "binary interface 77; this crate was made for 0";
    let vectors = Vectors::new(vec![1.0], 1).unwrap();
    fails(Model::load(fixture("bert_st")), ErrorKind::Mismatch, BOTH);
    fails(Config::new(), ErrorKind::Mismatch, BOTH);
    fails(Config::from_json("{}"), ErrorKind::Mismatch, BOTH);
    fails(Dataset::new(), ErrorKind::Mismatch, BOTH);
    fails(Dataset::open("a.tsv"), ErrorKind::Mismatch, BOTH);
    fails(describe("model"), ErrorKind::Mismatch, BOTH);
    fails(build_info(), ErrorKind::Mismatch, BOTH);
    fails(set_threads(1), ErrorKind::Mismatch, BOTH);
    fails(set_libtorch("/nowhere"), ErrorKind::Mismatch, BOTH);
    fails(set_log_sink(LogLevel::Info, |_, _| {}), ErrorKind::Mismatch, BOTH);
    fails(score(&[1.0], &[1.0], Metric::Cosine), ErrorKind::Mismatch, BOTH);
    fails(search(&vectors, &vectors, 1, Metric::Cosine), ErrorKind::Mismatch, BOTH);
    fails(Calibration::of(&vectors), ErrorKind::Mismatch, BOTH);
}
