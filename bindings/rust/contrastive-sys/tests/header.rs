//! The declarations are those of contrastive.h: as text, function by function and constant by constant, and for what text cannot tell (sizes, places
//! of members) by a C compiler.
use std::collections::BTreeMap;
use std::mem::{offset_of, size_of};
use std::path::PathBuf;
use std::process::Command;

use contrastive_sys::{cs_encode_options, cs_rerank_options};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn header() -> String {
    let path = repository().join("capi/include/contrastive/contrastive.h");
    let text = std::fs::read_to_string(&path).expect("the tests need the repository around this crate");
    let mut code = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("/*") {
        code += &rest[..start];
        rest = &rest[start + rest[start..].find("*/").expect("a comment ends") + 2..];
    }
    code + rest
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `const char *const *` becomes `*const *const c_char`.
fn rust_type(c: &str) -> String {
    let spaced = c.replace('*', " * ");
    let mut tokens = spaced.split_whitespace().peekable();
    let mut constant = tokens.next_if_eq(&"const").is_some();
    let name = tokens.next().expect("a type");
    let mut rust = match name {
        "char" => "c_char",
        "void" => "c_void",
        "float" => "f32",
        "double" => "f64",
        "int32_t" => "i32",
        "int64_t" => "i64",
        "uint32_t" => "u32",
        "uint8_t" => "u8",
        own => own,
    }
    .to_string();
    for token in tokens {
        if token == "*" {
            rust = format!("*{} {rust}", if constant { "const" } else { "mut" });
            constant = false;
        } else {
            assert_eq!(token, "const");
            constant = true;
        }
    }
    rust
}

/// name -> "(parameters) -> result", from the header.
fn c_functions() -> BTreeMap<String, String> {
    let code = header();
    let mut found = BTreeMap::new();
    for declaration in code.split("CS_API ").skip(1).filter(|text| !text.starts_with("__attribute__") && text.contains("cs_")) {
        let Some(end) = declaration.find(");") else { continue };
        let (head, parameters) = declaration[..end].split_once('(').expect("a function");
        let (result, name) = head.split_at(head.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).expect("a result") + 1);
        let parameters: Vec<String> = parameters
            .split(',')
            .map(words)
            .filter(|parameter| parameter != "void")
            .map(|parameter| {
                let place = parameter.rfind([' ', '*']).expect("a name") + 1;
                format!("{}: {}", &parameter[place..], rust_type(&parameter[..place]))
            })
            .collect();
        let result = rust_type(result);
        let arrow = if result == "c_void" { String::new() } else { format!(" -> {result}") };
        found.insert(name.to_string(), format!("({}){arrow}", parameters.join(", ")));
    }
    found
}

/// The same, from this crate.
fn rust_functions() -> BTreeMap<String, String> {
    let code = include_str!("../src/lib.rs");
    let declarations = code.split_once("extern \"C\" {").expect("declarations").1;
    let mut found = BTreeMap::new();
    for declaration in declarations.split("pub fn ").skip(1) {
        let declaration = words(&declaration[..declaration.find(';').expect("an end")]).replace(", )", ")").replace("( ", "(");
        let place = declaration.find('(').expect("parameters");
        found.insert(declaration[..place].to_string(), declaration[place..].to_string());
    }
    found
}

#[test]
fn every_function_is_declared_as_the_header_has_it() {
    let c = c_functions();
    assert!(c.len() >= 60, "only {} functions were found in the header", c.len());
    let rust = rust_functions();
    for (name, signature) in &c {
        assert_eq!(Some(signature), rust.get(name), "{name}");
    }
    assert_eq!(c.len(), rust.len(), "a function that the header does not have");
}

#[test]
fn every_constant_has_its_number() {
    let code = header();
    let mut c = BTreeMap::new();
    for block in code.split("enum {").skip(1) {
        for constant in block[..block.find('}').expect("an end")].split(',') {
            let (name, number) = constant.split_once('=').expect("a number");
            c.insert(name.trim().to_string(), number.trim().to_string());
        }
    }
    for line in code.lines().filter(|line| line.starts_with("#define CS_VERSION_") || line.starts_with("#define CS_ABI_VERSION")) {
        let mut parts = line.split_whitespace().skip(1);
        c.insert(parts.next().expect("a name").into(), parts.next().expect("a number").into());
    }
    assert!(c.len() >= 34, "only {} constants were found in the header", c.len());
    let mut rust = BTreeMap::new();
    for line in include_str!("../src/lib.rs").lines().filter_map(|line| line.strip_prefix("pub const CS_")) {
        if let Some((name, number)) = line.split_once(": i32 = ") {
            rust.insert(format!("CS_{name}"), number.trim_end_matches(';').to_string());
        }
    }
    assert_eq!(c, rust);
}

#[test]
fn a_c_compiler_agrees_on_sizes_and_places() {
    let mut source = String::from("#include <contrastive/contrastive.h>\n");
    let mut hold = |what: &str, number: usize| source += &format!("_Static_assert({what} == {number}, \"{what}\");\n");
    hold("sizeof(cs_encode_options)", size_of::<cs_encode_options>());
    hold("sizeof(cs_status)", size_of::<contrastive_sys::cs_status>());
    hold("sizeof(cs_log_function)", size_of::<contrastive_sys::cs_log_function>());
    hold("sizeof(cs_rerank_options)", size_of::<cs_rerank_options>());
    macro_rules! places {
        ($options:ident: $($member:ident)*) => {$(
            hold(concat!("offsetof(", stringify!($options), ", ", stringify!($member), ")"), offset_of!($options, $member));
        )*};
    }
    places!(cs_rerank_options: struct_size max_length activation prompt prompt_name batch_tokens reserved token_counts cancel);
    places!(cs_encode_options: struct_size normalize pooling prompt prompt_name truncate_dim max_length batch_tokens reserved token_counts cancel);
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
