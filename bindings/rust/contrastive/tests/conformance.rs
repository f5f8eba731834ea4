//! Runs the cases that every language runs. tests/conformance/README.md describes the cases and the
//! results to write.
mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use common::repository;
use contrastive::{
    describe, search, Calibration, Config, Dataset, EncodeOptions, Error, ErrorKind, Example,
    Limit, Metric, Model, Result, Trainer, Vectors,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn string(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn fixture(name: &Value) -> PathBuf {
    repository().join("tests/fixtures").join(string(name))
}

/// The hash of each file below a folder, by its path in the folder.
fn files_of(
    folder: &Path,
    below: &str,
    files: &mut BTreeMap<String, String>,
) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            files_of(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, sha256(&std::fs::read(entry.path())?));
        }
    }
    Ok(())
}

fn keys(value: &Value) -> Config {
    Config::from_serialize(value).expect("a config")
}

struct Cases(Value);

impl Cases {
    fn model(&self, name: &str) -> Result<Model> {
        let model = &self.0["models"][name];
        Model::load_with(fixture(&model["folder"]), &keys(&model["config"]))
    }

    fn text(&self, name: &Value) -> Vec<u8> {
        let spec = &self.0["texts"][string(name)];
        if let Some(hex) = spec["hex"].as_str() {
            return (0..hex.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex"))
                .collect();
        }
        string(&spec["text"]).repeat(spec["times"].as_u64().unwrap_or(1) as usize).into_bytes()
    }

    fn rows(&self, name: &Value) -> Vec<Example<'_>> {
        let rows = self.0["data"][string(name)].as_array().expect("rows");
        rows.iter()
            .map(|row| row.as_array().expect("texts").iter().map(string).collect::<Vec<_>>().into())
            .collect()
    }

    fn dataset(&self, name: &Value) -> Result<Dataset> {
        Dataset::from_examples(self.rows(name))
    }

    /// Checks a case, and returns its line of the result file without the name.
    fn run(&self, case: &Value) -> Result<String> {
        Ok(match string(&case["kind"]) {
            "tokenize" => self.tokenize(case)?,
            "encode" => self.encode(case, &self.model(string(&case["model"]))?)?,
            "save" => self.save(case)?,
            "error" => {
                let error = self.call(case).expect_err("was not refused");
                assert_eq!(error.kind().name(), string(&case["status"]), "{error}");
                assert!(error.message().contains(string(&case["message"])), "{error}");
                format!(
                    "\"status\":\"{}\",\"message_sha256\":\"{}\"",
                    error.kind().name(),
                    sha256(error.message().as_bytes())
                )
            }
            "train" => format!("\"sha256\":\"{}\"", sha256(&self.train(case)?)),
            other => panic!("kind {other} is unknown"),
        })
    }

    fn tokenize(&self, case: &Value) -> Result<String> {
        let text = self.text(&case["text"]);
        let tokens = self.model(string(&case["model"]))?.tokenize(&text, Limit::Model)?;
        assert_eq!(serde_json::json!(tokens.ids), case["ids"]);
        let mut line = format!("\"ids\":{}", serde_json::json!(tokens.ids));
        if case.get("begins").is_some() {
            let text = std::str::from_utf8(&text).expect("well-formed");
            let characters = |place: Option<usize>| {
                place.map_or(-1, |place| text[..place].chars().count() as i64)
            };
            let places = |of: fn(&Range<usize>) -> usize| {
                tokens
                    .ranges
                    .iter()
                    .map(|range| characters(range.as_ref().map(of)))
                    .collect::<Vec<_>>()
            };
            for (key, found) in
                [("begins", places(|range| range.start)), ("ends", places(|range| range.end))]
            {
                assert_eq!(serde_json::json!(found), case[key], "{key}");
                let _ = write!(line, ",\"{key}\":{}", serde_json::json!(found));
            }
        }
        Ok(line)
    }

    fn encode(&self, case: &Value, model: &Model) -> Result<String> {
        let texts: Vec<Vec<u8>> =
            case["texts"].as_array().expect("names").iter().map(|name| self.text(name)).collect();
        let vectors = model.encode(&texts)?;
        for (row, start) in vectors.rows().zip(case["starts"].as_array().expect("starts")) {
            for (found, expected) in row.iter().zip(start.as_array().expect("numbers")) {
                assert!(
                    (f64::from(*found) - expected.as_f64().expect("a number")).abs() <= 2e-5,
                    "{found}, not {expected}"
                );
            }
        }
        let bytes: Vec<u8> =
            vectors.values().iter().flat_map(|value| value.to_le_bytes()).collect();
        Ok(format!("\"sha256\":\"{}\"", sha256(&bytes)))
    }

    /// Saves a model, loads it again, and checks it and each file of its folder.
    fn save(&self, case: &Value) -> Result<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let saved = folder.path().join("saved");
        self.model(string(&case["model"]))?.save(&saved)?;
        let mut files = BTreeMap::new();
        files_of(&saved, "", &mut files).expect("files");
        Ok(format!(
            "{},\"files\":{}",
            self.encode(case, &Model::load(&saved)?)?,
            serde_json::json!(files)
        ))
    }

    /// The calls that must be refused. Their other arguments are valid.
    fn call(&self, case: &Value) -> Result<()> {
        let here = repository().join("tests/conformance");
        match string(&case["call"]) {
            "load" => Model::load_with(fixture(&case["folder"]), &keys(&case["config"])).map(drop),
            "parse" => Config::from_json(string(&case["json"])).map(drop),
            "describe" => describe(string(&case["topic"])).map(drop),
            "open_dataset" => {
                Dataset::open_with(here.join(string(&case["file"])), &keys(&case["config"]))
                    .map(drop)
            }
            "create" => Model::create(&keys(&case["config"])).map(drop),
            "search" => {
                let vector = Vectors::new(vec![1.0, 0.0], 2)?;
                search(&vector, &vector, case["k"].as_u64().expect("k") as usize, Metric::Cosine)
                    .map(drop)
            }
            "encode_text" => {
                self.model(string(&case["model"]))?.encode_text(self.text(&case["text"])).map(drop)
            }
            "tokenize_text" => self
                .model(string(&case["model"]))?
                .tokenize(self.text(&case["text"]), Limit::Model)
                .map(drop),
            "calibrate_nan" => Calibration::of(&Vectors::new(vec![1.0, f32::NAN], 2)?).map(drop),
            "encode" => {
                let truncate_dim = case["truncate_dim"].as_i64().expect("a number") as i32;
                let options = EncodeOptions {
                    pooling: Some(string(&case["pooling"])),
                    truncate_dim,
                    ..Default::default()
                };
                self.model("bert")?.encode_with(&["the cat"], options).map(drop)
            }
            "tokenize" => {
                let limit = Limit::Tokens(case["max_length"].as_i64().expect("a number") as i32);
                self.model("bert")?.tokenize("the cat", limit).map(drop)
            }
            "evaluate" => {
                let mut config = keys(&case["config"]);
                if let Some(file) = case["config"]["data"].as_str() {
                    config.set("data", here.join(file))?;
                }
                self.model("bert")?.evaluate(string(&case["task"]), &config).map(drop)
            }
            "trainer" => Trainer::new(
                &self.model("bert")?,
                &self.dataset(&case["data"])?,
                &keys(&case["config"]),
            )
            .map(drop),
            "step_without_data" => {
                Trainer::new(&self.model("bert")?, None, &keys(&case["config"]))?.step().map(|_| ())
            }
            other => panic!("call {other} is unknown"),
        }
    }

    /// The weights after a run.
    fn train(&self, case: &Value) -> Result<Vec<u8>> {
        let model = self.model(string(&case["model"]))?;
        let steps = case["steps"].as_u64().expect("steps") as usize;
        let config = keys(&case["config"]);
        let mut trainer;
        if case["through"] == "step" {
            trainer = Trainer::new(&model, &self.dataset(&case["data"])?, &config)?;
            assert_eq!(trainer.run().filter(Result::is_ok).count(), steps);
        } else {
            trainer = Trainer::new(&model, None, &config)?;
            let rows = self.rows(&case["data"]);
            for i in 0..steps {
                let batch: Vec<Example> =
                    (4 * i..4 * i + 4).map(|row| rows[row % rows.len()].clone()).collect();
                let _ = trainer.batch(&batch)?;
            }
        }
        let (loss, expected) =
            (trainer.metric("loss").expect("a loss"), case["loss"].as_f64().expect("a loss"));
        assert!(
            (loss - expected).abs() <= 2e-2 * (1.0 + expected.abs()),
            "loss {loss}, not {expected}"
        );
        let folder = tempfile::tempdir().expect("a folder");
        trainer.save_best(folder.path().join("model"))?;
        let failed = |error| panic!("{error}");
        Ok(std::fs::read(folder.path().join("model/model.safetensors")).unwrap_or_else(failed))
    }
}

#[test]
fn every_case_is_as_in_the_other_languages() -> std::result::Result<(), Box<dyn std::error::Error>>
{
    contrastive::set_threads(1)?;
    let cases = Cases(serde_json::from_str(&std::fs::read_to_string(
        repository().join("tests/conformance/cases.json"),
    )?)?);
    let mut lines = String::new();
    let all = cases.0["cases"].as_array().expect("cases");
    for case in all {
        println!("{}", case["name"]);
        let rest = cases
            .run(case)
            .map_err(|error: Error| format!("{}: {:?}: {error}", case["name"], error.kind()))?;
        writeln!(lines, "{{\"case\":{},{rest}}}", case["name"])?;
    }
    assert!(all.len() > 90, "only {} cases", all.len());
    let folder = repository().join("build/conformance");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("rust.jsonl"), lines)?;
    assert_eq!(ErrorKind::Argument.name(), "ARGUMENT");
    Ok(())
}
