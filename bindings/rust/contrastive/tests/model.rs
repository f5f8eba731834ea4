//! Tests of loading, saving, encode options and tokens.
mod common;

use common::{config, fails, fixture, load};
use contrastive::{score, EncodeOptions, ErrorKind, Limit, Metric, Model};

#[test]
fn load_tells_what_is_wrong() {
    fails(Model::load("no such folder"), ErrorKind::NotFound, "no such folder");
    let error: std::io::Error = Model::load("no such folder").unwrap_err().into();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    fails(Model::load(fixture("roberta_hf")), ErrorKind::Argument, "pooling");
    fails(
        Model::load_with(fixture("bert_st"), &config(r#"{"poolin": "mean"}"#)),
        ErrorKind::Argument,
        "pooling",
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.json"), "{").unwrap();
    fails(Model::load(folder.path()), ErrorKind::Format, "config.json");
    assert_eq!(ErrorKind::NotFound.name(), "NOT_FOUND");
}

#[test]
fn a_model_tells_what_it_is() {
    let model = Model::load_with(fixture("roberta_hf"), &config(r#"{"pooling": "cls"}"#)).unwrap();
    let info = model.info().unwrap();
    assert_eq!(
        (info.family.as_str(), info.dimension, info.max_length),
        ("roberta", model.dimension(), model.max_length())
    );
    assert_eq!(info.pooling, ["cls"]);
    assert_eq!((info.default_prompt_name, info.fingerprint.len()), (None, 64));
    assert!(
        !info.notes.is_empty() && info.more.contains_key("vocab_size"),
        "{:?} {:?}",
        info.notes,
        info.more
    );
}

#[test]
fn saved_loaded_and_copied_models_embed_alike() {
    let model = load();
    let texts = ["the cat sat", "two birds fly", ""];
    let expected = model.encode(&texts).unwrap();
    let folder = tempfile::tempdir().unwrap();
    model.save(folder.path().join("saved")).unwrap();
    let loaded = Model::load(folder.path().join("saved")).unwrap();
    assert_eq!(loaded.encode(&texts).unwrap(), expected);
    assert_eq!(model.snapshot().unwrap().encode(&texts).unwrap(), expected);
    fails(model.save("/proc/nowhere/model"), ErrorKind::Io, "/proc");
}

#[test]
fn models_from_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (texts, vocabulary) = (folder.path().join("texts.txt"), folder.path().join("vocabulary"));
    std::fs::write(&texts, "the cat sat on the old house\na dog runs with two birds\n".repeat(50))
        .unwrap();
    contrastive::train_vocabulary(&texts, &vocabulary, None, None).unwrap();
    let mut recipe =
        config(r#"{"layers": 1, "hidden_size": 16, "attention_heads": 2, "pooling": "mean"}"#);
    fails(Model::create(&recipe), ErrorKind::Argument, "tokenizer");
    recipe.set("tokenizer", &vocabulary).unwrap();
    let first = Model::create(&recipe).unwrap();
    recipe.set("seed", 77).unwrap();
    let second = Model::create(&recipe).unwrap();
    assert_eq!(first.dimension(), 16);
    assert_ne!(
        first.encode_text("the cat").unwrap(),
        second.encode_text("the cat").unwrap(),
        "two seeds gave the same weights"
    );
    fails(
        contrastive::train_vocabulary(folder.path().join("texts.txtx"), &vocabulary, None, None),
        ErrorKind::NotFound,
        "texts.txtx",
    );
}

#[test]
fn options_of_encoding() {
    let model = load();
    let texts = [
        "the cat sat",
        "a dog runs in the old house with two birds and a very red fish and a man who eats",
    ];
    let mut counts = [0; 2];
    let options = EncodeOptions {
        normalize: Some(false),
        token_counts: Some(&mut counts),
        max_length: 8,
        ..Default::default()
    };
    let plain = model.encode_with(&texts, options).unwrap();
    assert!(counts[0] <= 8 && counts[1] > 8, "{counts:?}");
    let options = || EncodeOptions {
        normalize: Some(true),
        max_length: 8,
        batch_tokens: 16,
        ..Default::default()
    };
    let unit = model.encode_with(&texts, options()).unwrap();
    assert!(score(plain.row(1), unit.row(1), Metric::Cosine).unwrap() > 0.99999);
    assert_ne!(plain.row(1), unit.row(1));
    let options = || EncodeOptions {
        truncate_dim: 8,
        pooling: Some("cls"),
        prompt_name: Some("query"),
        ..Default::default()
    };
    let short = model.encode_with(&texts, options()).unwrap();
    assert_eq!(
        (short.dimension(), short.len(), model.encode_dimension(options()).unwrap()),
        (8, 2, 8)
    );
    let prompted = model
        .encode_with(&["sat"], EncodeOptions { prompt: Some("the cat "), ..Default::default() })
        .unwrap();
    assert_eq!(prompted.values(), model.encode_text("the cat sat").unwrap());

    fails(
        model.encode_with(&texts, EncodeOptions { pooling: Some("maen"), ..Default::default() }),
        ErrorKind::Argument,
        "mean",
    );
    let few = EncodeOptions { token_counts: Some(&mut counts[..1]), ..Default::default() };
    fails(model.encode_with(&texts, few), ErrorKind::Buffer, "2 texts");
    let mut small = [7.0; 2];
    fails(model.encode_into(&texts, &mut small), ErrorKind::Buffer, "64");
    assert_eq!(small, [7.0; 2]);
    let mut roomy = vec![7.0; 70];
    model.encode_into(&texts, &mut roomy).unwrap();
    assert_eq!(roomy[64..], [7.0; 6], "the rest is unchanged");
    let mut truncated = vec![0.0; 16];
    model.encode_into_with(&texts, &mut truncated, options_short()).unwrap();
    assert_eq!(truncated, short.values());
    assert!(model.encode(&[] as &[&str]).unwrap().is_empty());
}

fn options_short() -> EncodeOptions<'static> {
    EncodeOptions {
        truncate_dim: 8,
        pooling: Some("cls"),
        prompt_name: Some("query"),
        ..Default::default()
    }
}

#[test]
fn any_number_of_threads_may_encode() {
    let model = load();
    let expected = model.encode_text("the cat sat").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                (0..100)
                    .for_each(|_| assert_eq!(model.encode_text("the cat sat").unwrap(), expected))
            });
        }
    });
}

/// Each failing call gets its own message, even if calls on other threads fail at the same time.
#[test]
fn messages_belong_to_their_calls() {
    std::thread::scope(|scope| {
        for worker in 0..8 {
            scope.spawn(move || {
                for i in 0..500 {
                    let name = format!("missing-{worker}-{}!", "y".repeat(i % 7));
                    fails(Model::load(&name), ErrorKind::NotFound, &name);
                }
            });
        }
    });
}

#[test]
fn tokens() {
    let model = load();
    let text = "the cat sat";
    let tokens = model.tokenize(text, Limit::Model).unwrap();
    for (id, range) in tokens.ids.iter().zip(&tokens.ranges) {
        let token = model.token(*id).unwrap();
        if let Some(range) = range {
            assert!(
                token.starts_with("##") || text[range.clone()] == token,
                "token '{token}' stands for {range:?}"
            );
        }
    }
    assert!(tokens.ranges[0].is_none() && tokens.ranges[1] == Some(0..3));
    let long = "the cat ".repeat(1000);
    assert_eq!(model.tokenize(&long, Limit::None).unwrap().ids.len(), 2002);
    assert_eq!(model.tokenize(&long, Limit::Model).unwrap().ids.len(), model.max_length());
    assert_eq!(model.tokenize(&long, Limit::Tokens(5)).unwrap().ranges.len(), 5);
    let pair = model.tokenize_pair("the cat", "sat", Limit::Model).unwrap();
    assert_eq!((pair.type_ids[0], pair.type_ids[pair.ids.len() - 1]), (0, 1));
    fails(model.tokenize("the cat", Limit::Tokens(1)), ErrorKind::Argument, "");
    fails(model.tokenize("the cat", Limit::Tokens(0)), ErrorKind::Argument, "0 tokens");
    assert_eq!(model.token(1 << 30).unwrap(), "");
}
