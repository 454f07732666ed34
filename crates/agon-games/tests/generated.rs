//! Tests of generated files: they are up to date, and the C headers agree with the arena.
// A failing test may panic anywhere.
#![allow(clippy::unwrap_used)]

use std::{fmt::Write as _, fs, path::Path, process::Command};

use agon_games::batch::{BOT_H, Batch, Bytes, Layout, Question, Record};
use agon_games::{GameId, generated, with_game};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn committed_files_are_those_that_the_code_makes() {
    for file in generated::files() {
        let committed = fs::read_to_string(Path::new(FOLDER).join(&file.path)).unwrap_or_default();
        assert!(
            committed == file.text,
            "{} is not up to date; run `cargo xtask generate`",
            file.path
        );
    }
}

/// A source that includes a header twice and compares every record with its layout.
fn source(header: &str, records: &[Layout]) -> String {
    let mut source = format!("#include \"{header}\"\n#include \"{header}\"\n");
    for Layout { name, fields, size, align, .. } in records {
        writeln!(source, "AGON_ASSERT(sizeof({name}) == {size}, \"size\");").unwrap();
        writeln!(source, "struct {name}_beside {{ char c; {name} record; }};").unwrap();
        writeln!(
            source,
            "AGON_ASSERT(offsetof(struct {name}_beside, record) == {align}, \"align\");"
        )
        .unwrap();
        for field in *fields {
            let (field, offset) = (field.name, field.offset);
            writeln!(source, "AGON_ASSERT(offsetof({name}, {field}) == {offset}, \"{field}\");")
                .unwrap();
        }
    }
    source
}

#[track_caller]
fn compile(compiler: &str, standard: &str, suffix: &str, source: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("check.{suffix}"));
    fs::write(&file, source).unwrap();
    let flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic"];
    let output = Command::new(compiler)
        .args(flags)
        .arg(format!("-std={standard}"))
        .arg(format!("-I{FOLDER}/include"))
        .arg(&file)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}; `cargo xtask setup` installs it"));
    assert!(output.status.success(), "{}\n{source}", String::from_utf8_lossy(&output.stderr));
}

fn check(header: &str, records: &[Layout]) {
    let source = source(header, records);
    compile("cc", "c11", "c", &source);
    compile("c++", "c++17", "cpp", &source);
}

#[test]
fn headers_compile_as_c_and_cpp_with_the_layout_of_the_records() {
    agon_testkit::needs!("c++");
    check(BOT_H, &[Question::LAYOUT, Bytes::LAYOUT]);
    let has_own_form = |&id: &GameId| with_game!(id, G => G::HAS_OWN_FORM);
    for id in GameId::OWN.into_iter().filter(has_own_form) {
        with_game!(id, G => {
            let records: Vec<Layout> = G::HEADER.records().copied().collect();
            check(&G::HEADER.path(), &records);
        });
    }
}
