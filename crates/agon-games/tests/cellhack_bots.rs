use agon_core::{Game, GameExt, Params, Policy, Purpose, Seed};
use agon_games::{Lineup, cellhack::{Cellhack, Rules}};

fn bot(spec: &str) -> Box<dyn Policy<Cellhack>> {
    let (name, params) = spec.split_once('?').unwrap_or((spec, ""));
    let builtin = Cellhack::BUILTINS.iter().find(|b| b.name == name).expect("a built-in bot");
    let given = params.split('&').filter_map(|p| p.split_once('='));
    (builtin.make)(&Params::new(builtin.params, given).unwrap()).unwrap()
}

fn play(bots: &[&str], seed: u64) -> Vec<u32> {
    let mut game = Cellhack::new(&Rules::default(), bots.len(), Seed(seed)).unwrap();
    let mut policies: Vec<_> = bots.iter().map(|b| bot(b)).collect();
    while !game.is_over() {
        let step = game.progress().turn;
        game.step_with(|game, d| {
            let mut rng = Seed(seed).stream(Purpose::Bot(d.player.0), step << 32 | u64::from(d.unit));
            policies[d.player.index()].decide(&game.view(d), &mut rng)
        });
    }
    game.cell_counts().to_vec()
}

#[test]
fn tune() {
    let lines = std::fs::read_to_string("/tmp/tune.txt").unwrap();
    for line in lines.lines() {
        let bots: Vec<&str> = line.split(' ').collect();
        println!("{line}: {:?} {:?}", play(&bots, 1), play(&bots, 2));
    }
}
