//! Prints a table of what calls cost more than the same calls through the raw declarations, which
//! cost the same as in C, and checks limits. Meaningful only in a release build: `cargo test
//! --release --test overhead -- --nocapture`.
mod common;

use std::hint::black_box;
use std::ptr;
use std::time::{Duration, Instant};

use common::{fixture, load};
use contrastive::{similarity_into, Metric, Rows};
use contrastive_sys as sys;

fn timed(calls: u32, call: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed() / calls
}

struct Row<'a> {
    name: &'static str,
    calls: u32,
    rounds: u32,
    limit: Duration,
    c: Box<dyn FnMut() + 'a>,
    rust: Box<dyn FnMut() + 'a>,
}

/// How long a call takes in C, and how much more it costs in Rust, in nanoseconds: medians over
/// rounds of C, Rust, Rust and C. The second is the median of the differences within a round. A
/// slow period of the machine affects all four calls; a disturbance of one of them does not change
/// the median.
fn above(row: &mut Row<'_>) -> (i64, i64) {
    let nanos = |time: Duration| time.as_nanos() as i64;
    let (mut c, mut differences): (Vec<i64>, Vec<i64>) = (0..row.rounds)
        .map(|_| {
            let first = nanos(timed(row.calls, &mut row.c));
            let rust =
                nanos(timed(row.calls, &mut row.rust)) + nanos(timed(row.calls, &mut row.rust));
            let both = first + nanos(timed(row.calls, &mut row.c));
            (both / 2, (rust - both) / 2)
        })
        .unzip();
    c.sort_unstable();
    differences.sort_unstable();
    (c[c.len() / 2], differences[differences.len() / 2])
}

/// A raw handle of the model, freed at the end of the program.
fn raw_model() -> *mut sys::cs_model {
    let folder = std::ffi::CString::new(fixture("bert_st").to_str().unwrap()).unwrap();
    // SAFETY: the path ends in NUL.
    let model = unsafe { sys::cs_model_load(folder.as_ptr(), ptr::null(), ptr::null_mut()) };
    assert!(!model.is_null());
    model
}

fn encode_in_c(
    model: *mut sys::cs_model,
    texts: &[&str],
    out: &mut [f32],
    places: &[*const std::os::raw::c_char],
    lengths: &[i64],
) {
    let (n, floats) = (texts.len() as i64, out.len() as i64);
    // SAFETY: the numbers of texts and floats are correct.
    let status = unsafe {
        sys::cs_encode(
            model,
            places.as_ptr(),
            lengths.as_ptr(),
            n,
            ptr::null(),
            out.as_mut_ptr(),
            floats,
            ptr::null_mut(),
        )
    };
    assert_eq!(status, sys::CS_OK);
}

#[test]
fn calls_cost_what_they_cost_in_c() {
    let (model, raw) = (load(), raw_model());
    let one = ["cat"];
    let strings: Vec<String> = (0..1000).map(|i| format!("the cat {i}")).collect();
    let many: Vec<&str> = strings.iter().map(String::as_str).collect();
    let places =
        |texts: &[&str]| -> Vec<_> { texts.iter().map(|text| text.as_ptr().cast()).collect() };
    let lengths =
        |texts: &[&str]| -> Vec<i64> { texts.iter().map(|text| text.len() as i64).collect() };
    let (one_places, one_lengths, many_places, many_lengths) =
        (places(&one), lengths(&one), places(&many), lengths(&many));
    let dimension = model.dimension();
    let vectors: Vec<f32> = (0..1000 * 384).map(|i| (i % 17) as f32 - 8.0).collect();
    let query = &vectors[3 * 384..4 * 384];
    let floats = |n: usize| vec![0.0_f32; n * dimension];
    let (mut c1, mut r1, mut c2, mut c3, mut r3, mut c4, mut r4) = (
        floats(1),
        floats(1),
        floats(1),
        floats(1000),
        floats(1000),
        vec![0.0; 1000],
        vec![0.0; 1000],
    );
    let (nanos, micros) = (Duration::from_nanos, Duration::from_micros);
    let mut rows = [
        Row {
            name: "bare call (dimension)",
            calls: 2_000,
            rounds: 100,
            limit: nanos(100),
            // SAFETY: the model is not freed yet.
            c: Box::new(|| {
                black_box(unsafe { sys::cs_model_dimension(raw) });
            }),
            rust: Box::new(|| {
                black_box(model.dimension());
            }),
        },
        Row {
            name: "one text, into a caller's slice",
            calls: 20,
            rounds: 300,
            limit: micros(1),
            c: Box::new(|| encode_in_c(raw, &one, &mut c1, &one_places, &one_lengths)),
            rust: Box::new(|| model.encode_into(&one, &mut r1).unwrap()),
        },
        Row {
            name: "one text, fresh result",
            calls: 20,
            rounds: 300,
            limit: micros(3),
            c: Box::new(|| encode_in_c(raw, &one, &mut c2, &one_places, &one_lengths)),
            rust: Box::new(|| drop(black_box(model.encode_text("cat").unwrap()))),
        },
        Row {
            name: "1,000 texts, into a caller's slice",
            calls: 1,
            rounds: 40,
            limit: micros(250),
            c: Box::new(|| encode_in_c(raw, &many, &mut c3, &many_places, &many_lengths)),
            rust: Box::new(|| model.encode_into(&many, &mut r3).unwrap()),
        },
        Row {
            name: "1,000 x 384 floats in, scores into a slice",
            calls: 10,
            rounds: 100,
            limit: micros(10),
            // SAFETY: the lengths of the arrays are correct.
            c: Box::new(|| unsafe {
                let status = sys::cs_similarity(
                    query.as_ptr(),
                    1,
                    vectors.as_ptr(),
                    1000,
                    384,
                    0,
                    c4.as_mut_ptr(),
                    1000,
                    ptr::null_mut(),
                );
                assert_eq!(status, sys::CS_OK);
            }),
            rust: Box::new(|| {
                similarity_into(
                    Rows::new(query, 384).unwrap(),
                    Rows::new(&vectors, 384).unwrap(),
                    Metric::Cosine,
                    &mut r4,
                )
                .unwrap()
            }),
        },
    ];
    println!("{:<44} {:>12} {:>12} {:>12}", "", "C", "Rust above C", "allowed");
    for row in &mut rows {
        let (mut c, mut difference) = above(row);
        // The time of a long computation varies by a quarter on a busy machine, so this limit only
        // detects a copy of the floats.
        let least = row.limit.as_nanos() as i64;
        let allowed = |c: i64| if c < 100_000 { least } else { least.max(c / 4) };
        for _ in 0..19 {
            if difference <= allowed(c) {
                break; // other programs disturb few rounds
            }
            (c, difference) = above(row);
        }
        let limit = allowed(c);
        println!("{:<44} {c:>9} ns {difference:>9} ns {limit:>9} ns", row.name);
        assert!(
            cfg!(debug_assertions) || difference <= limit,
            "{}: {difference} ns above C",
            row.name
        );
    }
    drop(rows);
    // SAFETY: freed once.
    unsafe { sys::cs_model_free(raw) };
}
