//! The command line as people see it: each block of a `.md` file in `tests/cli/` is run and
//! compared.
//!
//! `TRYCMD=overwrite cargo test -p agon --test all cli` writes the blocks anew; read the difference
//! before you keep it.

#[test]
fn commands_print_what_their_pages_show() {
    agon_testkit::needs!("python3", "c++");
    // No window for commands that open one where they can.
    let cases = trycmd::TestCases::new();
    cases.env("DISPLAY", "").env("WAYLAND_DISPLAY", "").case("tests/cli/*.md");
}
