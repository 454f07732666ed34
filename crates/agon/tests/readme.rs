//! The commands in README.md and in `docs/` are run and must print what the pages show.

use std::path::Path;

#[test]
fn pages_show_real_output() {
    agon_testkit::needs!("python3");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(&root).expect("the root of the workspace is there");
    let cases = trycmd::TestCases::new();
    cases.case("README.md").case("docs/*.md");
}
