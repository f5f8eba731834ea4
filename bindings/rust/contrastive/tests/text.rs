//! Texts, names and paths that are likely to break bindings.
mod common;

use common::{fails, load};
use contrastive::{Config, EncodeOptions, ErrorKind, Limit, Model};

/// The embedding of the same bytes through the raw declarations.
fn in_c(bytes: &[u8], dimension: usize) -> Vec<f32> {
    use contrastive_sys as sys;
    let folder = std::ffi::CString::new(common::fixture("bert_st").to_str().unwrap()).unwrap();
    let mut embedding = vec![0.0; dimension];
    // SAFETY: the length of the text and the room for its embedding are correct; the model is freed
    // once.
    unsafe {
        let model = sys::cs_model_load(folder.as_ptr(), std::ptr::null(), std::ptr::null_mut());
        let (text, length) = (bytes.as_ptr().cast(), bytes.len() as i64);
        let floats = embedding.as_mut_ptr();
        let status = sys::cs_encode(
            model,
            &text,
            &length,
            1,
            std::ptr::null(),
            floats,
            dimension as i64,
            std::ptr::null_mut(),
        );
        assert_eq!(status, sys::CS_OK);
        sys::cs_model_free(model);
    }
    embedding
}

#[test]
fn texts_that_break_bindings() {
    let model = load();
    let ten_megabytes = "the cat sat ".repeat((10 << 20) / 12);
    let combining = format!("e\u{301} a\u{30a} {}", "\u{301}".repeat(100));
    let texts: [&[u8]; 12] = [
        b"",
        b" ",
        "\u{1f600} family \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466} flag \
         \u{1f1e9}\u{1f1ea}"
            .as_bytes(),
        b"a\0b",
        b"\0",
        b"a\xff\xfe b \xc0\x80 \xf5",
        b"end \xf0\x9f\x98",
        b"\xed\xa0\x80 the \xed\xb0\x80",
        ten_megabytes.as_bytes(),
        combining.as_bytes(),
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{202e} abc".as_bytes(),
        "a\u{200b}b\u{ad}c\tg\r\nh\u{7f}".as_bytes(),
    ];
    let together = model.encode(&texts).unwrap();
    for (text, row) in texts.iter().zip(together.rows()) {
        let expected = in_c(text, model.dimension());
        assert_eq!(model.encode_text(text).unwrap(), expected, "{:?}", &text[..text.len().min(20)]);
        assert!(
            row.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6),
            "in a batch {:?} is another",
            &text[..text.len().min(20)]
        );
    }
}

#[test]
fn invalid_utf8_reads_as_the_replacement() {
    let model = load();
    for (broken, whole) in [
        (&b"a\xffb"[..], "a\u{fffd}b"),
        (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
        (b"\xf0\x9f\x98", "\u{fffd}"),
    ] {
        assert_eq!(
            model.tokenize(broken, Limit::Model).unwrap().ids,
            model.tokenize(whole, Limit::Model).unwrap().ids
        );
    }
    let unpaired = String::from_utf16_lossy(&[0xd800, b' ' as u16, 0xdc00]);
    assert_eq!(
        model.encode_text(&unpaired).unwrap(),
        model.encode_text("\u{fffd} \u{fffd}").unwrap()
    );
}

#[test]
fn a_strict_model_refuses_invalid_utf8() {
    let strict = Model::load_with(
        common::fixture("bert_st"),
        &common::config(r#"{"invalid_utf8": "error"}"#),
    )
    .unwrap();
    fails(
        strict.encode_text(b"the \xffcat"),
        ErrorKind::Format,
        "texts[0] is not valid UTF-8 at byte 4",
    );
    fails(strict.encode(&[&b"a"[..], b"\xf0\x9f"]), ErrorKind::Format, "texts[1]");
    fails(strict.tokenize(b"\xff", Limit::Model), ErrorKind::Format, "byte 0");
    strict.encode_text("the \u{1f600} \u{fffd}").unwrap();
}

#[test]
fn names_with_nul_are_refused() {
    let model = load();
    fails(Model::load("folder\0of another name"), ErrorKind::Argument, "NUL byte, at 6");
    fails(model.save("a\0b"), ErrorKind::Argument, "NUL");
    fails(
        model.encode_with(&["a"], EncodeOptions { prompt: Some("a\0b"), ..Default::default() }),
        ErrorKind::Argument,
        "prompt",
    );
    fails(Config::from_json("{}\0"), ErrorKind::Argument, "NUL");
    fails(contrastive::describe("\0"), ErrorKind::Argument, "topic");
}

#[test]
fn paths_are_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mod\u{e8}le \u{1f600} \u{6a21}\u{578b}");
    load().save(&path).unwrap();
    Model::load(&path).unwrap();
    fails(Model::load(path.join("missing")), ErrorKind::NotFound, "\u{1f600} \u{6a21}\u{578b}");
}
