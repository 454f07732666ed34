//! `agon check GAME BOT`: a numbered examination of a bot.
//!
//! `agon_contest::check` examines; the report is here.

mod report;

use std::{cell::RefCell, io::Write, path::Path, time::Duration};

use agon_arena::{ArenaGame, drawn_seed};
use agon_bots::{Clock, HostOptions, Timing, folder_game};
use agon_contest::check::{ATTEMPTS, Examiner, Watcher, examine};
use agon_contest::settings::{self, Sources};
use agon_core::{Meta, Progress};
use agon_games::{GameId, with_game};
use agon_match::spec::MatchSettings;
use agon_match::{Void, Waiting};
use anyhow::{Result, ensure};

use self::report::Head;
use crate::{
    Exit,
    cli::CheckArgs,
    interrupts::{handle_interrupts, interrupted, interrupted_later},
    output::{Bar, tell},
    sandbox::machine,
};

/// Examines a bot and prints the report.
pub(crate) fn check(args: &CheckArgs, out: &mut impl Write) -> Result<Exit> {
    let (id, bot) = game_and_bot(args)?;
    with_game!(id, G => check_game::<G>(args, bot, out))
}

/// Returns the game and the bot. A folder names its game.
fn game_and_bot(args: &CheckArgs) -> Result<(GameId, &str)> {
    if let Some(bot) = &args.bot {
        return Ok((args.game.parse()?, bot));
    }
    let folder = Path::new(&args.game);
    ensure!(
        folder.is_dir(),
        "`{}` is the only argument, but no folder; name game and bot, as in `agon check {} BOT`",
        args.game,
        GameId::ALL[0].meta().id
    );
    Ok((folder_game(folder)?, &args.game))
}

fn check_game<G: ArenaGame>(args: &CheckArgs, bot: &str, out: &mut impl Write) -> Result<Exit> {
    // Whole matches that do not take long.
    let short = [G::SHORT, G::CHECKED].concat();
    let is_named = args.full || args.rules.is_some() || args.preset.is_some();
    let short = if is_named { Vec::new() } else { short };
    let sets: Vec<String> = short.into_iter().map(str::to_owned).chain(args.sets.clone()).collect();
    let from = Sources { preset: args.preset.as_deref(), file: args.rules.as_deref(), sets: &sets };
    let limit = args.time.map(|limit| Timing::Clock(Clock::cpu(Duration::from_millis(limit))));
    let settings = MatchSettings { sandbox: args.sandbox.settings(), ..MatchSettings::default() };
    handle_interrupts();
    let shown = Shown { meta: &G::META, bar: RefCell::default() };
    let examiner = Examiner::<G> {
        spec: bot.parse()?,
        rules: settings::load::<G>(from)?,
        host: HostOptions {
            timing: limit.unwrap_or_default(),
            examine: true,
            time_peers: true,
            announce: None,
            game: Some(G::META.id.parse()?),
            ..agon_arena::host_options(&settings, &machine())
        },
        seed: args.seed.map_or_else(drawn_seed, Ok)?,
        games: args.games,
        max_turns: args.turns,
        stop: interrupted_later(),
        watcher: &shown,
    };
    let Some((info, examinations)) = examine(&examiner, args.memory)? else {
        return Ok(Exit::Interrupted);
    };
    let head = Head {
        game: G::META.id,
        rules: serde_json::to_value(&examiner.rules)?,
        name: examiner.spec.name(),
        spec: bot,
        info: info.as_ref(),
        seed: examiner.seed,
    };
    if args.json {
        report::print_json(&head, &examinations, out)?;
    } else {
        report::print(&head, &examinations, out)?;
    }
    Ok(if report::passed(&examinations) { Exit::Done } else { Exit::Negative })
}

/// Shows an examination while the bot plays.
struct Shown {
    meta: &'static Meta,
    bar: RefCell<Option<Bar>>,
}

impl Watcher for Shown {
    fn show(&self, progress: Progress) {
        // From now on Ctrl-C ends the match.
        interrupted();
        self.bar.borrow_mut().get_or_insert_with(|| Bar::new(self.meta, None)).show(progress);
    }

    fn waiting(&self, waiting: &Waiting) {
        self.bar.borrow().iter().for_each(|bar| bar.wait(waiting));
    }

    fn ended(&self) {
        self.bar.take().into_iter().for_each(|bar| bar.clear());
    }

    fn void(&self, number: u32, void: Void, attempt: u32) {
        tell(format!("void: {void}; match {number} is played again ({attempt} of {ATTEMPTS})"));
    }
}
