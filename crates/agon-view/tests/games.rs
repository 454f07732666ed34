//! Pictures of real matches stay the same: built-in bots on small boards.

use agon_core::{Decision, GameExt, Params, Policy, Purpose, Seed, mix};
use agon_games::{
    BuiltinBots, GameId, amoebas, binfection, cellhack, cluster, rezzo, scene::Render,
};
use agon_view::paint::{Frame, Instant, Screenshot, Theme, ThemeName};

/// Returns a match after some steps.
fn play<G: BuiltinBots>(rules: &G::Rules, bots: &[&str], steps: u64) -> G {
    let mut game = G::new(rules, bots.len(), Seed::plain(5)).expect("the settings fit");
    let mut bots: Vec<_> = bots.iter().map(|text| policy::<G>(text)).collect();
    for step in 0..steps {
        if game.is_over() {
            break;
        }
        let decide = |&decision: &Decision| {
            let number = mix(step).wrapping_add(u64::from(decision.unit));
            let mut rng = game.seed().stream(Purpose::Bot(decision.player.0), number);
            bots[decision.player.index()].decide(&game.view(decision), &mut rng)
        };
        let answers: Vec<_> = game.decisions().iter().map(decide).collect();
        game.step(&answers);
    }
    game
}

fn policy<G: BuiltinBots>(text: &str) -> Box<dyn Policy<G>> {
    let (name, params) = text.split_once('?').unwrap_or((text, ""));
    let builtin =
        G::BUILTINS.iter().find(|builtin| builtin.name == name).expect("the bot is built in");
    let params = params.split('&').filter_map(|param| param.split_once('='));
    (builtin.make)(&Params::new(builtin.params, params).expect("it has them"))
        .expect("it takes them")
}

/// Compares a picture of a match after some steps.
fn check<G: BuiltinBots + Render>(
    id: GameId,
    rules: &G::Rules,
    bots: &[&str],
    steps: u64,
    zoom: f32,
    theme: ThemeName,
) {
    let scene = play::<G>(rules, bots, steps).scene();
    let names: Vec<String> = bots.iter().map(|&name| name.to_owned()).collect();
    let mut frame = Frame::new(1, 1);
    let still = Screenshot { zoom, names: Some(&names) };
    still.paint(&Theme::new(theme, id.kind()), &Instant::still(&scene), &mut frame);
    crate::paint_support::check(&format!("game-{id}"), &frame);
}

#[test]
fn amoebas() {
    let bots = ["brood", "slightly-brainy", "mutating", "nasty?probability=10&target=strongest"];
    let rules = amoebas::Rules { world_size: 40, ..Default::default() };
    check::<amoebas::Amoebas>(GameId::Amoebas, &rules, &bots, 2000, 4.0, ThemeName::Dark);
}

#[test]
fn binfection() {
    let bots = ["general", "spreader"];
    let rules = binfection::Rules { field_width: 24, field_height: 16, ..Default::default() };
    check::<binfection::Binfection>(GameId::Binfection, &rules, &bots, 12, 16.0, ThemeName::Light);
}

#[test]
fn cellhack() {
    let bots = ["swarm", "hunter", "grower", "random"];
    let rules = cellhack::Rules { width: 32, height: 32, ..Default::default() };
    check::<cellhack::Cellhack>(GameId::Cellhack, &rules, &bots, 60, 6.0, ThemeName::Dark);
}

#[test]
fn cluster() {
    let bots = ["searcher", "greedy"];
    let rules = cluster::Rules { side: 6, ..Default::default() };
    check::<cluster::Cluster>(GameId::Cluster, &rules, &bots, 16, 18.0, ThemeName::Dark);
}

#[test]
fn rezzo() {
    let bots = ["raider", "raider", "wanderer"];
    let rules = rezzo::Rules { width: 64, height: 64, ..Default::default() };
    check::<rezzo::Rezzo>(GameId::Rezzo, &rules, &bots, 300, 4.0, ThemeName::Classic);
}
