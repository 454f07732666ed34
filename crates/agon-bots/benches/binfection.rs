//! Measures turns of binfection with a bot that is started anew for each, and with one that stays.
//!
//! The first uses the file protocol. Elements are turns of one bot, which moves one cell.
//! Everything runs on one processor core, as in matches.

use agon_core::{Game, Player, Seed};
use agon_games::any::AnyGame;
use agon_games::binfection::{Binfection, Cell, Position, Rules};
use criterion::{Criterion, criterion_group, criterion_main};

mod support;

/// Reads whole lines and answers each question, whose step is always the same.
const JSON_LINES: &str = r#"
#include <string.h>
#include <unistd.h>
static char line[1 << 24];
int main(void)
{
    const char *reply = "{\"step\":0,\"answers\":["
                        "{\"moves\":[{\"x\":1,\"y\":1,\"direction\":1}]}]}\n";
    size_t have = 0;
    ssize_t got;
    while ((got = read(0, line + have, sizeof line - have)) > 0) {
        have += got;
        if (line[have - 1] != '\n')
            continue;
        /* The first message, which may come together with the first question, needs no answer. */
        char *last = memrchr(line, '\n', have - 1);
        int is_question = strncmp(last ? last + 1 : line, "{\"type\":\"decide\"", 16) == 0;
        have = 0;
        if (is_question && write(1, reply, strlen(reply)) < 0)
            return 1;
    }
    return 0;
}
"#;

/// Makes the usual field with this square of cells for player 0, and one cell for player 1.
fn game(side: u32) -> AnyGame {
    let cell = |x, y, owner| Cell { x, y, owner: Some(Player(owner)), units: 10 };
    let mut cells = vec![cell(999, 999, 1)];
    cells.extend((0..side * side).map(|n| cell(1 + n % side, 1 + n / side, 0)));
    let position = Position { turn: 0, players: 2, cells, fallen: vec![] };
    let game = Binfection::from_position(&Rules::default(), Seed(1), position);
    AnyGame::of(game.expect("the position fits the rules"))
}

fn measure(c: &mut Criterion) {
    support::pin(c);
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let place = folder.path();
    let options = support::options(place.join("cache"));
    let json_lines = support::compile(place, "lines", JSON_LINES);
    let bots = [
        ("file protocol", support::write(place, "runner.sh", support::BINFECTION_SH)),
        ("persistent", support::write(place, "native.c", support::BINFECTION_C)),
        ("persistent, JSON Lines", format!("jsonl:{json_lines}")),
    ];
    for (side, cells) in [(4, ""), (100, ", 10 000 cells"), (300, ", 90 000 cells")] {
        let game = game(side);
        for (name, spec) in &bots {
            let name = format!("{name}{cells}");
            let group = "binfection: file protocol against a persistent bot";
            support::measure(c, (group, &name), &options, &game, spec);
        }
    }
}

criterion_group! {
    name = binfection;
    config = support::config();
    targets = measure
}
criterion_main!(binfection);
