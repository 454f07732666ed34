//! Sources that attack the compiler.

use super::{Outcome, TestDir};

const BOT: &str = "#include \"agon/cluster.h\"\nuint32_t agon_abi(void) { return AGON_ABI; }\n\
    uint32_t agon_decide(const void *q, uint32_t l, void *a, uint32_t r) { return 0; }\n";

/// Plays with a source that begins with this, which cannot be compiled.
#[track_caller]
fn refused(name: &str, start: impl Fn(&TestDir) -> String) -> Outcome {
    let dir = TestDir::new();
    let source = dir.write(&format!("fox/{name}"), &format!("{}\n{BOT}", start(&dir)));
    let outcome = dir.play(source.to_str().unwrap(), &[]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.everything.contains(name), "it names the source: {outcome:?}");
    outcome
}

#[test]
fn files_of_the_machine_are_not_included() {
    for line in [r#"#include "/etc/shadow""#, r#"__asm__(".incbin \"/etc/shadow\"");"#] {
        let outcome = refused("a.c", |_| line.into());
        assert!(!outcome.everything.contains("root:"), "{outcome:?}");
    }
}

#[test]
fn files_of_other_bots_are_not_included() {
    // The organiser's secret would be in the compiler's complaint, which `refused` looks through.
    refused("a.c", |dir| format!("#include {:?}", dir.path("hen/notes")));
    refused("b.c", |_| "#include \"../hen/notes\"".into());
    refused("c.c", |dir| format!(r#"__asm__(".incbin \"{}\"");"#, dir.path("hen/notes").display()));
    refused("d.c", |dir| format!("#include {:?}", dir.path("home/notes")));
}

#[test]
fn endless_macros_and_templates_come_to_an_end() {
    agon_testkit::slow!();
    let double = |n: u32| format!("#define M{n} M{0} M{0} M{0} M{0} M{0} M{0} M{0} M{0}\n", n - 1);
    let macros: String = (1..12).map(double).collect();
    refused("macros.c", |_| format!("#define M0 1+\n{macros}int x = M11 1;"));
    refused("itself.c", |_| "#include \"itself.c\"".into());
    let templates = "template<unsigned long n, unsigned long m> struct A { \
        static const int x = A<2 * n, m - 1>::x + A<2 * n + 1, m - 1>::x; };\n\
        template<unsigned long n> struct A<n, 0> { static const int x = 0; };\n\
        int x = A<1, 40>::x;";
    refused("templates.cpp", |_| templates.into());
    refused("zeros.c", |_| "#include \"/dev/zero\"".into());
}
