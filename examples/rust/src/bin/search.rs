//! Embeds the lines of a file and finds those nearest in meaning to each query.
//!
//!     cargo run --release --bin search -- MODEL texts.txt "what people type" ...
use std::error::Error;
use std::io::Write;

use contrastive::{Metric, Model};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, texts, queries @ ..] = arguments.as_slice() else {
        return Err("usage: search MODEL TEXTS QUERY...".into());
    };
    search(model.as_ref(), texts.as_ref(), queries, &mut std::io::stdout())
}

fn search(
    model: &std::path::Path,
    file: &std::path::Path,
    queries: &[String],
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let file = std::fs::read_to_string(file)?;
    let texts: Vec<&str> = file.lines().collect();
    let model = Model::load(model)?;
    let results =
        contrastive::search(&model.encode(queries)?, &model.encode(&texts)?, 3, Metric::Cosine)?;
    for (query, hits) in queries.iter().zip(results) {
        writeln!(out, "{query}")?;
        for hit in hits {
            writeln!(out, "  {:.3}  {}", hit.score, texts[hit.index])?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "../corpus.rs"]
mod corpus;

#[test]
fn what_means_the_same_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("texts.txt");
    let texts = "A man is eating food.\nThe moon circles the earth.\nSomeone plays a guitar.\n\
        Stocks fell on Monday.\n";
    std::fs::write(&file, texts).unwrap();
    let mut out = Vec::new();
    search(&corpus::model(), &file, &["astronomy".into(), "music".into()], &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[1].contains("The moon") && lines[5].contains("guitar"), "{out}");
}
