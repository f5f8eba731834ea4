//! Tests of comparing, searching and storing embeddings.
mod common;

use common::fails;
use contrastive::{
    quantize_binary, quantize_float16, quantize_int8, score, search, similarity, similarity_into,
    Calibration, ErrorKind, Hit, Metric, Rows, Vectors,
};

fn vectors<const N: usize>(rows: &[[f32; N]]) -> Vectors {
    Vectors::from_rows(rows).unwrap()
}

#[test]
fn metrics() {
    let (a, b) = ([3.0, 4.0], [4.0, 3.0]);
    for (metric, expected) in [
        (Metric::Cosine, 24.0 / 25.0),
        (Metric::Dot, 24.0),
        (Metric::Euclidean, -std::f32::consts::SQRT_2),
        (Metric::Manhattan, -2.0),
    ] {
        assert!((score(&a, &b, metric).unwrap() - expected).abs() < 1e-6, "{metric:?}");
    }
    fails(score(&a, &[1.0], Metric::Cosine), ErrorKind::Mismatch, "dimension 2 and of 1");
    fails(score(&[], &[], Metric::Cosine), ErrorKind::Argument, "dimension is 0");
}

#[test]
fn similarity_is_rows_by_columns() {
    let scores = similarity(
        &vectors(&[[1.0, 0.0], [0.0, 2.0]]),
        &vectors(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        Metric::Dot,
    )
    .unwrap();
    assert_eq!(scores.values(), [1.0, 0.0, 1.0, 0.0, 2.0, 2.0]);
    assert_eq!((scores.dimension(), scores.len(), scores.rows().count()), (3, 2, 2));
    fails(similarity_into(&scores, &scores, Metric::Dot, &mut [0.0]), ErrorKind::Buffer, "4");
    fails(Vectors::from_rows(&[vec![1.0, 2.0], vec![1.0]]), ErrorKind::Argument, "row 1 has 1");
    fails(Vectors::new(vec![1.0; 5], 2), ErrorKind::Argument, "5 values");
    fails(Rows::new(&[1.0], 0), ErrorKind::Argument, "dimension 0");
}

#[test]
fn the_nearest_are_found() {
    let corpus = vectors(&[[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]);
    let hits = search(&vectors(&[[2.0, 0.0], [0.0, 5.0]]), &corpus, 3, Metric::Cosine).unwrap();
    assert_eq!(hits[0][..2], [Hit { index: 1, score: 1.0 }, Hit { index: 3, score: 1.0 }]);
    assert_eq!((hits[0][2].index, hits[1][0].index), (2, 0));
    let few = search(&corpus, &corpus, 100, Metric::Dot).unwrap();
    assert_eq!((few.len(), few[0].len()), (4, 4));
    let none = search(&corpus, Rows::new(&[], 2).unwrap(), 5, Metric::Dot).unwrap();
    assert_eq!((none.len(), none[3].len()), (4, 0));
    fails(search(&corpus, &corpus, 0, Metric::Dot), ErrorKind::Argument, "k is 0");
}

#[test]
fn embeddings_in_fewer_bytes() {
    let v = vectors(&[[0.0, -1.0, 0.5], [1.0, 1.0, -0.5]]);
    assert_eq!(quantize_float16(&v).unwrap(), [0, 0xbc00, 0x3800, 0x3c00, 0x3c00, 0xb800]);
    let calibration = Calibration::of(&vectors(&[[0.0, 1.0, 2.0], [255.0, 256.0, 257.0]])).unwrap();
    assert_eq!(
        (calibration.starts(), calibration.steps()),
        (&[0.0, 1.0, 2.0][..], &[1.0, 1.0, 1.0][..])
    );
    let bytes =
        quantize_int8(&vectors(&[[0.0, 256.0, 130.0], [1000.0, -1000.0, 3.0]]), &calibration)
            .unwrap();
    assert_eq!(bytes, [-128, 127, 0, 127, -128, -127]);
    assert_eq!(quantize_binary(&v).unwrap(), [0b0010_0000, 0b1100_0000]);
    fails(quantize_int8(&vectors(&[[1.0]]), &calibration), ErrorKind::Mismatch, "dimension 3");
    fails(Calibration::of(Rows::new(&[], 3).unwrap()), ErrorKind::Argument, "");
    fails(Calibration::of(&vectors(&[[f32::NAN]])), ErrorKind::Numeric, "");
}

/// Rows and texts of another crate's types may return anything, such as a different result each
/// time, or the largest possible length.
#[test]
fn rows_that_answer_something_else_the_second_time() {
    struct Fickle(std::cell::Cell<usize>);
    impl AsRef<[f32]> for Fickle {
        fn as_ref(&self) -> &[f32] {
            self.0.set(self.0.get() + 1);
            &[1.0, 2.0, 3.0, 4.0, 5.0][..1 + self.0.get() % 5]
        }
    }
    for length in 0..5 {
        let vectors = Vectors::from_rows(&[Fickle(length.into()), Fickle(length.into())]).unwrap();
        assert_eq!((vectors.len(), vectors.values().len()), (2, 2 * vectors.dimension()));
    }
    fails(
        Vectors::from_rows(&[Fickle(1.into()), Fickle(2.into())]),
        ErrorKind::Argument,
        "row 1 has",
    );
}

#[test]
#[allow(clippy::needless_borrows_for_generic_args)] // an array by value would be on the stack
fn more_than_memory_holds_is_an_error() {
    #[derive(Clone, Copy)]
    struct Nothing;
    impl AsRef<[f32]> for Nothing {
        fn as_ref(&self) -> &[f32] {
            &[1.0, 2.0]
        }
    }
    impl AsRef<[u8]> for Nothing {
        fn as_ref(&self) -> &[u8] {
            b"a text"
        }
    }
    fails(Vectors::from_rows(&[Nothing; usize::MAX]), ErrorKind::Limit, "rows");
    fails(Vectors::from_rows(&[Nothing; 1 << 59]), ErrorKind::NoMemory, "rows");
    let model = common::load();
    fails(model.encode(&[Nothing; usize::MAX]), ErrorKind::Limit, "texts");
    fails(model.encode(&[Nothing; 1 << 59]), ErrorKind::NoMemory, "texts");
    fails(model.encode_into(&[Nothing; 1 << 59], &mut [0.0; 32]), ErrorKind::NoMemory, "texts");
    fails(Rows::new(&[], usize::MAX), ErrorKind::Argument, "32 bits");
    fails(
        Calibration::of(Rows::new(&[], i32::MAX as usize).unwrap()),
        ErrorKind::Argument,
        "no vectors",
    );
}
