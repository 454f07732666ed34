//! What a game says of itself, and its speed.

use std::time::{Duration, Instant};

use agon_core::{Params, Seed, text::number::grouped};

use super::{Exam, Found, Stop, usual_players};

/// How long the speed is measured.
const MEASURED: Duration = Duration::from_millis(200);

/// Page, presets and built-in bots fit the game.
pub(super) fn presets_and_bots(exam: &Exam<'_>) -> Found {
    let kind = exam.kind;
    let meta = kind.meta();
    let title = meta.page.lines().next().unwrap_or_default();
    let name = meta.name();
    ensure!(title == format!("# {name}"), "the page does not begin with `# {name}`");
    ensure!(meta.summary.ends_with('.'), "the summary is no sentence: `{}`", meta.summary);

    let builtins = kind.builtins();
    for builtin in &builtins {
        let name = builtin.name;
        kind.policy(name, &Params::new(builtin.params, [])?)?;
        for param in builtin.params {
            let wrong = Params::new(builtin.params, [(param.name, "?")])?;
            let error = kind.policy(name, &wrong).err().map(|error| error.to_string());
            let error = error.unwrap_or_default();
            let is_named = error.starts_with(&format!("parameter `{}`", param.name));
            ensure!(is_named, "bot `{name}` refuses no `{}=?`: {error}", param.name);
        }
    }
    let lineup = kind.lineup();
    ensure!(!lineup.is_empty(), "`SHOW` names no bots");
    for shown in lineup {
        let name = shown.split('?').next().unwrap_or_default();
        let is_known = builtins.iter().any(|bot| bot.name == name);
        ensure!(is_known, "`SHOW` names `{name}`, which is no built-in bot");
    }

    let trials = kind.trials();
    kind.read_rules(trials.tiny).map_err(|error| Stop::from(error).within("`TINY`"))?;
    let checked = kind.changed_rules(&[trials.short, trials.checked].concat())?;
    kind.start(&checked, lineup.len(), Seed(1))?;
    let presets = kind.presets();
    for preset in &presets {
        let name = preset.name;
        let of_a_name = |c: char| c.is_ascii_lowercase() || c == '-';
        let is_name = !name.is_empty() && name.chars().all(of_a_name);
        ensure!(is_name, "the name of preset `{name}` has more than lower-case letters and `-`");
        let rules = kind.preset_rules(name)?;
        for players in [lineup.len(), usual_players(kind)] {
            let game = kind.start(&rules, players, Seed(1));
            game.map_err(|error| Stop::from(error).within(&format!("preset `{name}`")))?;
        }
    }
    Ok(format!("{} presets, {} built-in bots", presets.len(), builtins.len()))
}

/// How fast the game plays.
pub(super) fn speed(exam: &Exam<'_>) -> Found {
    let begun = Instant::now();
    let mut steps = 0;
    while begun.elapsed() < MEASURED {
        steps += exam.walk(exam.options.max_steps, |_| Ok(()))?;
    }
    let rate = u128::from(steps) * 1_000_000_000 / begun.elapsed().as_nanos();
    Ok(format!("{} steps a second with scripted answers", grouped(rate as u64)))
}
