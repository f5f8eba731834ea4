//! Tests of files of vectors, of indexes, and of iterating over both.
mod common;

use common::{fails, load};
use contrastive::{search, ErrorKind, Index, Metric, Rows, Vectors};

const TEXTS: [&str; 3] = ["the cat sat", "a dog runs", "\u{1f600} \"two\"\nbirds"];

#[test]
fn an_index_finds_texts() {
    let model = load();
    let index = Index::of(&model, TEXTS).unwrap();
    assert_eq!((index.len(), index.texts()[1].as_str()), (3, "a dog runs"));
    let found = index.search_text(&model, "a dog runs", 2).unwrap();
    assert_eq!((found.len(), found[0].index, found[0].text), (2, 1, "a dog runs"));
    assert!(found[0].score > 0.999 && found[0].score >= found[1].score, "{found:?}");
    let both = index.search(&model.encode(["a dog runs", "the cat sat"]).unwrap(), 1).unwrap();
    assert_eq!((both[0][0].text, both[1][0].text), (TEXTS[1], TEXTS[0]));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    index.save(&path).unwrap();
    assert_eq!(Index::load(&path).unwrap(), index);
    assert_eq!(&Vectors::load_npy(path.join("vectors.npy")).unwrap(), index.vectors());
    let mut smaller = Index::new(Metric::Dot);
    smaller.add(["x", "y"], &Vectors::from_rows(&[[1.0, 2.0], [0.0, 5.0]]).unwrap()).unwrap();
    smaller.save(&path).unwrap();
    let loaded = Index::load(&path).unwrap();
    assert_eq!((loaded.metric(), &loaded), (Metric::Dot, &smaller));
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 2, "a temporary file is left");
}

#[test]
fn wrong_indexes_are_refused() {
    let mut index = Index::new(Metric::Cosine);
    let one = Vectors::new(vec![1.0, 2.0], 2).unwrap();
    fails(index.add(["a", "b"], &one), ErrorKind::Mismatch, "2 texts and 1 vectors");
    assert!(index.is_empty() && index.search(&one, 3).unwrap()[0].is_empty());
    index.add(["a"], &one).unwrap();
    let other = Vectors::new(vec![1.0; 3], 3).unwrap();
    fails(index.add(["b"], &other), ErrorKind::Mismatch, "dimension 2 and of 3");
    fails(index.search(&other, 1), ErrorKind::Mismatch, "dimension 3");
    assert_eq!(index.len(), 1);

    let folder = tempfile::tempdir().unwrap();
    fails(Index::load(folder.path()), ErrorKind::NotFound, "vectors.npy");
    one.save_npy(folder.path().join("vectors.npy")).unwrap();
    fails(Index::load(folder.path()), ErrorKind::NotFound, "index.json");
    for (content, kind, part) in [
        (r#"{"metric": "cosine", "texts": ["#, ErrorKind::Format, "index.json"),
        (r#"{"metric": "cosin", "texts": ["a"]}"#, ErrorKind::Format, "'cosin' is unknown"),
        (r#"{"metric": "cosine", "texts": []}"#, ErrorKind::Mismatch, "0 texts and 1 vectors"),
    ] {
        std::fs::write(folder.path().join("index.json"), content).unwrap();
        fails(Index::load(folder.path()), kind, part);
    }
    fails(index.save(folder.path().join("vectors.npy")), ErrorKind::Io, "vectors.npy");
}

#[test]
fn vectors_go_to_numpy_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.npy");
    let vectors =
        Vectors::from_rows(&[[1.5, -2.0, f32::MAX], [0.0, f32::MIN_POSITIVE, 7.0]]).unwrap();
    vectors.save_npy(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY") && bytes.ends_with(&7.0_f32.to_le_bytes()));
    assert_eq!(Vectors::load_npy(&path).unwrap(), vectors);
    fails(Vectors::load_npy(folder.path().join("none.npy")), ErrorKind::NotFound, "none.npy");
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(Vectors::load_npy(&path).is_err());
    fails(vectors.save_npy("/proc/nowhere/v.npy"), ErrorKind::Io, "/proc");
}

#[test]
fn rows_are_iterated() {
    let mut vectors = Vectors::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).unwrap();
    let sums: Vec<f32> = (&vectors).into_iter().map(|row| row.iter().sum()).collect();
    assert_eq!((sums, &vectors[1]), (vec![3.0, 7.0], &[3.0, 4.0][..]));
    assert_eq!(Rows::from(&vectors).into_iter().count(), 2);
    vectors.extend(Rows::new(&[5.0, 6.0], 2).unwrap()).unwrap();
    assert_eq!((vectors.len(), &vectors[2]), (3, &[5.0, 6.0][..]));
    let mut index = Index::new(Metric::Dot);
    index.add(["a", "b", "c"], &vectors).unwrap();
    for (i, (text, row)) in (&index).into_iter().enumerate() {
        assert_eq!((text.as_str(), row), (["a", "b", "c"][i], &vectors[i]));
    }
}

/// Texts come from slices, vectors and iterators, borrowed or owned; more than eight of them need
/// memory on the heap.
#[test]
fn texts_are_iterated() {
    let model = load();
    let owned: Vec<String> = (0..20).map(|i| format!("{} cats", "the ".repeat(i))).collect();
    let expected = model.encode(&owned).unwrap();
    assert_eq!(model.encode(owned.iter().map(|text| text.as_bytes())).unwrap(), expected);
    assert_eq!(model.encode(owned.iter().filter(|text| !text.is_empty())).unwrap(), expected);
    assert_eq!(model.encode(owned.clone()).unwrap(), expected);
    for n in [0, 1, 7, 8, 9] {
        let some = model.encode(owned.iter().take(n)).unwrap();
        assert_eq!(some.len(), n);
        assert_eq!(some, model.encode(&owned[..n]).unwrap());
    }
}

#[test]
fn nan_is_an_error_and_no_hit() {
    let good = Vectors::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).unwrap();
    for bad in [f32::NAN, f32::INFINITY] {
        let wrong = Vectors::from_rows(&[[1.0, 2.0], [3.0, bad]]).unwrap();
        fails(search(&wrong, &good, 2, Metric::Cosine), ErrorKind::Numeric, "1");
        fails(search(&good, &wrong, 2, Metric::Cosine), ErrorKind::Numeric, "1");
    }
    let hits = search(&good, &good, 5, Metric::Cosine).unwrap();
    assert!(hits.iter().all(|hits| hits.len() == 2 && hits.iter().all(|hit| hit.index < 2)));
}
