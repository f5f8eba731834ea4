//! Tests of configs, the described keys, and the library as a whole.
mod common;

use common::{config, fails};
use contrastive::{describe, describe_all, Config, ErrorKind};

#[test]
fn a_config_is_laid_in_order() {
    let mut keys = config(r#"{"clsr": {"temperature": 0.1}, "lr": 0.5}"#);
    keys.merge(&config(r#"{"lr": 0.25}"#))
        .unwrap()
        .set("x-mine", [1, 2])
        .unwrap()
        .set("optimizer", "lars")
        .unwrap();
    keys.set("x-quoted", "\"<0.1>\" \u{1f600}").unwrap();
    let value = keys.to_value().unwrap();
    assert_eq!(value["clsr.temperature"], 0.1);
    assert_eq!(value["lr"], 0.25);
    assert_eq!(value["optimizer"], "lars");
    assert_eq!(value["x-mine"], serde_json::json!([1, 2]));
    assert_eq!(value["x-quoted"], "\"<0.1>\" \u{1f600}");
    keys.set("prompt", "2026")
        .unwrap()
        .set("data", "1.10")
        .unwrap()
        .set("mine", serde_json::json!({"a": {"b": "null"}}))
        .unwrap();
    for (key, text) in [("prompt", "2026"), ("data", "1.10"), ("mine.a.b", "null")] {
        assert_eq!(keys.to_value().unwrap()[key], text);
    }
    fails(keys.set("lr", None::<f64>).map(|_| ()), ErrorKind::Argument, "None");
    fails(keys.set("lr", f64::NAN).map(|_| ()), ErrorKind::Argument, "lr");
    fails(Config::from_json("[1]"), ErrorKind::Format, "");
    assert_eq!(Config::new().unwrap().to_json().unwrap(), "{}");
}

#[test]
fn serde_makes_configs() {
    #[derive(serde::Serialize)]
    struct Clsr {
        temperature: f64,
    }
    #[derive(serde::Serialize)]
    struct Run {
        method: &'static str,
        clsr: Clsr,
    }
    let keys =
        Config::from_serialize(&Run { method: "clsr", clsr: Clsr { temperature: 0.5 } }).unwrap();
    assert_eq!(
        keys.to_value().unwrap(),
        serde_json::json!({"method": "clsr", "clsr.temperature": 0.5})
    );
    fails(Config::from_serialize(&[1, 2]), ErrorKind::Format, "");
}

#[test]
fn every_key_is_described() {
    let all = describe_all().unwrap();
    for topic in ["model", "recipe", "vocabulary", "data", "train", "clsr", "sts"] {
        let keys = describe(topic).unwrap();
        assert!(!keys.is_empty() && keys.len() == all[topic].len(), "{topic}");
        for key in keys {
            assert!(
                !key.key.is_empty() && !key.kind.is_empty() && !key.help.is_empty(),
                "{topic}: {key:?}"
            );
            assert!(
                key.kind != "choice" || !key.values.is_empty(),
                "{topic}: the choice {} has no values",
                key.key
            );
        }
    }
    fails(describe("clrs"), ErrorKind::Argument, "clsr");
}

#[test]
fn the_library_tells_what_it_is() {
    let build = contrastive::build_info().unwrap();
    assert_eq!(build.version, contrastive::version());
    assert!(
        !build.libtorch.is_empty()
            && !build.libtorch_path.is_empty()
            && build.libtorch_reason.is_empty(),
        "{build:?}"
    );
    assert!(
        !build.library_path.is_empty() && !build.cpu.is_empty() && build.threads >= 1,
        "{build:?}"
    );
    assert!(build.cuda.devices > 0 || !build.cuda.reason.is_empty());
    fails(contrastive::set_threads(-1), ErrorKind::Argument, "-1");
}

/// The safe crate covers the C interface: it calls each function, except those that are left out
/// for a reason.
#[test]
fn every_function_is_used() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let declared =
        std::fs::read_to_string(folder.join("../contrastive-sys/src/declarations.rs")).unwrap();
    let source = std::fs::read_dir(folder.join("src"))
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let source = source.collect::<String>();
    // Packed texts are for languages whose strings must be copied, and outlines for the program's
    // --dry-run. For the others the crate uses an equivalent call.
    let apart = [
        "cs_encode_packed",
        "cs_train_batch_packed",
        "cs_dataset_add",
        "cs_config_set",
        "cs_evaluate_outline",
    ];
    let names = declared.split("pub fn ").skip(1).map(|rest| &rest[..rest.find('(').unwrap()]);
    for name in names.clone() {
        let used = source.contains(&format!("sys::{name}("));
        assert_eq!(used, !apart.contains(&name), "{name}");
    }
    assert!(names.count() >= 60);
}
