//! What the test harness knows.

/// The name that the harness gives a test, from the `module_path!()` of its file: `orphans::killed` for a test of
/// `tests/orphans.rs` that is part of one program with others.
pub fn full_name(module_path: &str, test: &str) -> String {
    match module_path.split_once("::") {
        Some((_, modules)) => format!("{modules}::{test}"),
        None => test.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_harness() {
        let own = full_name(module_path!(), "names_are_those_of_the_harness");
        assert_eq!(own, "harness::tests::names_are_those_of_the_harness");
        assert_eq!(full_name("all", "one"), "one");
    }
}
