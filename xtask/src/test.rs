//! `cargo xtask check` and `cargo xtask test`: the checks before a change lands.
//!
//! `check` is quick. `test` runs everything, and CI runs it for each change.

use std::thread;

use anyhow::Result;

use crate::{
    format, instructions, kit_types, kits,
    long::turn,
    run::{at_low_priority, cargo, quiet_step, step},
    setup, soak,
    stages::Stages,
    suite::{self, EVERYTHING, Tests},
    web,
};

/// Runs the quick tier: format, lints, the tests of `cargo test`.
pub(crate) fn check() -> Result<()> {
    let stages = Stages::new();
    let result = (|| {
        stages.run("format", format::check)?;
        stages.run("types of starter kits", kit_types::check)?;
        stages.run("build tests", || Tests::Quick.build())?;
        stages.run("lints", || step(&mut lints()))?;
        stages.run("tests", || Tests::Quick.run())
    })();
    stages.tell(result)
}

/// Runs everything that CI runs each time. What would run twice, such as a suite with another
/// database or other vector units, is a long job.
pub(crate) fn all() -> Result<()> {
    let stages = Stages::new();
    turn::forget_time();
    let result = (|| {
        stages.run("packages", || {
            setup::run()?;
            setup::toolchains(&kits::Kit::all()?)
        })?;
        stages.run("format", format::check)?;
        stages.run("web bundle", web::check)?;
        stages.run("build tests", || Tests::All.build())?;
        tests_and_builds(&stages)?;
        stages.run("instructions", || instructions::run(false))?;
        stages.run("soak", soak::short)
    })();
    eprint!("{}", suite::longest());
    let took = stages.elapsed();
    stages.tell(result)?;
    turn::note_time(took)
}

/// Runs tests and builds side by side: tests wait more than they compute.
fn tests_and_builds(stages: &Stages) -> Result<()> {
    thread::scope(|scope| {
        let builds = scope.spawn(|| {
            let lints = stages.run("lints", || quiet_step(&mut at_low_priority(&lints())));
            let documentation =
                stages.run("documentation", || quiet_step(&mut at_low_priority(&documentation())));
            let workloads = stages.run("build workloads", || {
                quiet_step(&mut at_low_priority(&instructions::build()))
            });
            [lints, documentation, workloads]
        });
        let tests = stages.run("tests", || Tests::All.run());
        let builds = builds.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // All failures are reported, because a person may have waited long for them.
        let failed: Vec<_> = [tests].into_iter().chain(builds).filter_map(Result::err).collect();
        failed.iter().for_each(|error| eprintln!("\nerror: {error:#}"));
        failed.into_iter().next().map_or(Ok(()), Err)
    })
}

fn lints() -> std::process::Command {
    let mut command = cargo(&["clippy", "--all-targets", "--quiet"]);
    command.args(EVERYTHING).args(["--", "--deny", "warnings"]);
    command
}

fn documentation() -> std::process::Command {
    let mut command = cargo(&["doc", "--no-deps", "--quiet"]);
    command.args(EVERYTHING).env("RUSTDOCFLAGS", "--deny warnings");
    command
}
