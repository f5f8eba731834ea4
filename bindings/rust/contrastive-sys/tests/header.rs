//! A C compiler agrees with the generated declarations on numbers, sizes and offsets.
use std::mem::{offset_of, size_of};
use std::path::PathBuf;
use std::process::Command;

use contrastive_sys::{cs_encode_options, cs_rerank_options};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

#[test]
fn a_c_compiler_agrees() {
    let mut source = String::from("#include <contrastive/contrastive.h>\n");
    let mut constants = 0;
    for line in include_str!("../src/declarations.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("pub const "))
    {
        if let Some((name, number)) = line.trim_end_matches(';').split_once(": i32 = ") {
            source += &format!("_Static_assert({name} == {number}, \"{name}\");\n");
            constants += 1;
        }
    }
    assert!(constants >= 34, "only {constants} constants were found");
    let mut hold = |what: &str, number: usize| {
        source += &format!("_Static_assert({what} == {number}, \"{what}\");\n")
    };
    hold("sizeof(cs_encode_options)", size_of::<cs_encode_options>());
    hold("sizeof(cs_status)", size_of::<contrastive_sys::cs_status>());
    hold("sizeof(cs_log_function)", size_of::<contrastive_sys::cs_log_function>());
    hold("sizeof(cs_progress_function)", size_of::<contrastive_sys::cs_progress_function>());
    hold("sizeof(cs_rerank_options)", size_of::<cs_rerank_options>());
    macro_rules! places {
        ($options:ident: $($member:ident)*) => {$(
            hold(
                concat!("offsetof(", stringify!($options), ", ", stringify!($member), ")"),
                offset_of!($options, $member),
            );
        )*};
    }
    places!(cs_rerank_options:
        struct_size max_length activation prompt prompt_name batch_tokens reserved token_counts
        cancel);
    places!(cs_encode_options:
        struct_size normalize pooling prompt prompt_name truncate_dim max_length batch_tokens
        reserved token_counts cancel);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("layout.c"), source).expect("a file in the target folder");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let done = Command::new(&compiler)
        .args(["-std=c11", "-fsyntax-only", "-Wall", "-Werror", "-I"])
        .arg(repository().join("capi/include"))
        .arg(folder.join("layout.c"))
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn the_library_has_the_binary_interface_that_was_declared() {
    // SAFETY: two functions without arguments; the string is static.
    unsafe {
        assert_eq!(contrastive_sys::cs_abi_version(), contrastive_sys::CS_ABI_VERSION);
        assert!(std::ffi::CStr::from_ptr(contrastive_sys::cs_version()).to_str().is_ok());
    }
}
