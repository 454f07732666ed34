//! What a bot sees tells it nothing about later chance, about what is hidden, or about the seed.
//!
//! Each attack succeeds against plain seeds, as older versions used them, so that it is a real one.

use agon_core::{
    Decision, Game, Meta, Player, Purpose, QuickStreams, Rng, Seed, error::Problems, mix,
};
use agon_games::kit::{Kit, SmallGame};
use agon_games::{GameId, jsonl::message::bot_seed, postcard_codec, with_game};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Inverts `mix`.
fn unmix(mut x: u64) -> u64 {
    x ^= x >> 31 ^ x >> 62;
    x = x.wrapping_mul(inverse(0x94D0_49BB_1331_11EB));
    x ^= x >> 27 ^ x >> 54;
    x = x.wrapping_mul(inverse(0xBF58_476D_1CE4_E5B9));
    x ^ x >> 30 ^ x >> 60
}

/// Returns what undoes a multiplication by an odd number.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |guess, _| guess.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(guess))))
}

/// Returns the second word of the state in which xoshiro256** gives this number.
fn state_word(bits: u64) -> u64 {
    bits.wrapping_mul(inverse(9)).rotate_right(7).wrapping_mul(inverse(5))
}

/// Returns the plain seed whose stream begins with this number.
fn seed_of(first: u64, code: u64, number: u64) -> u64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    let key = unmix(state_word(first)).wrapping_sub(STEP.wrapping_mul(2));
    unmix(unmix(key.wrapping_sub(mix(number))) ^ code) ^ 0xA607
}

/// Returns the number that xoshiro256** gives after these four.
fn fifth(four: [u64; 4]) -> u64 {
    let [one, two, three, four] = four.map(state_word);
    // What the second words of four states say about the second state.
    let s2 = one ^ two ^ one << 17;
    let s0 = two ^ s2 ^ three;
    let next_s2 = s2 ^ s0 ^ two << 17;
    let next_s0 = three ^ next_s2 ^ four;
    let s3 = next_s0 ^ s0 ^ two;
    let mut state = [s0, two, s2, s3];
    for _ in 0..3 {
        let [s0, s1, s2, s3] = state;
        let (s2, s3) = (s2 ^ s0, s3 ^ s1);
        state = [s0 ^ s3, s1 ^ s2, s2 ^ s1 << 17, s3.rotate_left(45)];
    }
    state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9)
}

fn four(rng: &mut Rng) -> [u64; 4] {
    [(); 4].map(|()| rng.bits())
}

/// Tries the 2048 seeds that fit the number which a program gets at the start.
fn number_tells_seed(game: &impl Game) -> bool {
    let number = bot_seed(game, Player(0));
    let code = 1 << 32;
    (0..1 << 11).any(|low| seed_of(number << 11 | low, code, u64::MAX) == game.seed().number())
}

#[test]
fn the_number_of_a_program_does_not_tell_the_seed() {
    for id in GameId::OWN {
        with_game!(id, G => {
            let players = G::META.min_players.max(2);
            let begin = |seed| G::new(&<G as Game>::Rules::default(), players, seed).unwrap();
            assert!(number_tells_seed(&begin(Seed::plain(20_261_128))), "{id:?}: no attack");
            assert!(!number_tells_seed(&begin(Seed(20_261_128))), "{id:?}");
        });
    }
}

/// The streams of the five games, of built-in bots, and of the kit's games. Bots see less of them
/// than the attacker here: he has a whole number.
const STREAMS: [(Purpose, u64, u64); 6] = [
    (Purpose::Setup, 1, 0),
    (Purpose::Setup, 1, 1),
    (Purpose::Order, 2, 7),
    (Purpose::Draw, 3, 7),
    (Purpose::Bot(1), (1 << 32) | 1, 7),
    (Purpose::Number(1), (1 << 32) | 1, 7),
];

#[test]
fn a_number_of_a_stream_does_not_tell_the_seed() {
    let number = 20_261_128;
    for (purpose, code, of) in STREAMS {
        let found = |seed: Seed| {
            let units = QuickStreams::new(seed, purpose).of_unit(of, 0).bits();
            [
                seed_of(seed.stream(purpose, of).bits(), code, of),
                seed_of(seed.quick_stream(purpose, of).bits(), code, of),
                seed_of(units, code, mix(of)),
            ]
        };
        assert_eq!(found(Seed::plain(number)), [number; 3], "{purpose:?}: no attack");
        assert!(!found(Seed(number)).contains(&number), "{purpose:?}");
    }
}

#[test]
fn a_match_does_not_tell_the_seeds_of_others() {
    let number = 20_261_128;
    let found = |seed: Seed| unmix(unmix(seed.derive(5).number()).wrapping_sub(5));
    assert_eq!(found(Seed::plain(number)), number, "no attack");
    assert_ne!(found(Seed(number)), number);
}

#[test]
fn numbers_of_a_stream_do_not_tell_the_next_ones() {
    let seed = Seed(20_261_128);
    for (purpose, _, of) in STREAMS {
        let told = |mut rng: Rng| fifth(four(&mut rng)) == rng.bits();
        assert!(told(seed.quick_stream(purpose, of)), "{purpose:?}: no attack");
        assert!(!told(seed.stream(purpose, of)), "{purpose:?}");
        // Quick streams tell nothing about those of other turns and units.
        let known = four(&mut seed.quick_stream(purpose, of));
        assert_ne!(four(&mut seed.quick_stream(purpose, of + 1)), known);
        let mut units = QuickStreams::new(seed, purpose);
        assert_ne!(fifth(four(&mut units.of_unit(of, 0))), units.of_unit(of, 1).bits());
    }
}

/// A game of the kit with hidden dice. Its author draws all dice of a turn from one stream: first
/// those of player 0, then that of player 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Dice {
    turn: u64,
    own: [u64; 4],
    hidden: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NoSettings {}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Wait;

postcard_codec!(Wait);

impl Dice {
    fn roll(seed: Seed, turn: u64) -> Dice {
        let mut dice = seed.stream(Purpose::Draw, turn);
        Dice { turn, own: four(&mut dice), hidden: dice.bits() }
    }
}

impl SmallGame for Dice {
    const META: Meta = Meta {
        id: "dice",
        rules_version: 1,
        min_players: 2,
        max_players: 2,
        turn_name: "turn",
        summary: "Hidden dice.",
        page: "# dice\n",
    };

    type Settings = NoSettings;
    type Answer = Wait;
    type View = Vec<u64>;

    fn check_settings(_: &NoSettings, _: usize, _: &mut Problems) {}

    fn check(&self, _: &NoSettings, _: &mut Problems) {}

    fn start(_: &NoSettings, _: usize, seed: Seed) -> Dice {
        Dice::roll(seed, 0)
    }

    fn players(&self) -> usize {
        2
    }

    fn turn(&self) -> u64 {
        self.turn
    }

    fn decisions(&self, _: &NoSettings) -> Vec<Decision> {
        Player::all(2).map(|player| Decision::new(player, 0)).collect()
    }

    fn answers(_: &NoSettings, _: usize) -> Vec<Wait> {
        vec![Wait]
    }

    fn view(&self, _: &NoSettings, decision: Decision) -> Vec<u64> {
        if decision.player == Player(0) { self.own.to_vec() } else { vec![self.hidden] }
    }

    fn step(&mut self, _: &NoSettings, seed: Seed, _: &[(Decision, Wait)]) {
        *self = Dice::roll(seed, self.turn + 1);
    }

    fn score(&self, _: &Self::Settings, _: Player) -> i64 {
        0
    }

    fn ending(&self, _: &Self::Settings) -> String {
        "never".into()
    }
}

#[test]
fn own_dice_do_not_tell_hidden_ones() {
    for (seed, is_told) in [(Seed::plain(9), true), (Seed(9), false)] {
        let mut game = Kit::<Dice>::new(&NoSettings {}, 2, seed).unwrap();
        for turn in 0..20 {
            let own = game.view(game.decisions()[0]).seen();
            let own = [own[0], own[1], own[2], own[3]];
            let hidden = game.view(game.decisions()[1]).seen()[0];
            assert_eq!(fifth(own) == hidden, is_told, "turn {turn}");
            // The dice of the next turn, too.
            let mut next = Seed::plain(seed_of(own[0], 3, turn)).stream(Purpose::Draw, turn + 1);
            game.step(&[Wait, Wait]);
            assert_eq!(four(&mut next).to_vec() == game.view(game.decisions()[0]).seen(), is_told);
        }
    }
}
