//! Measures one question to a bot and its answer, for each host.
//!
//! Everything runs on one processor core, as in matches with programs. The question is always
//! the same, and the bots do next to nothing. So the result is the cost of the host with the
//! game's protocol.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use agon_core::{Game, Player, Seed};
use agon_games::amoebas::{self, Amoebas};
use agon_games::any::{AnyGame, FullGame};
use agon_games::battlesnake::Battlesnake;
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::{cluster::Cluster, rezzo::Rezzo};
use criterion::{Criterion, criterion_group, criterion_main};
use tempfile::TempDir;

mod support;

/// Answers a turn of cluster, which ends with an empty line, without a thought.
const CLUSTER_C: &str = r#"
#include <stdio.h>
int main(void)
{
    char line[1 << 16];
    while (fgets(line, sizeof line, stdin))
        if (line[0] == '\n') {
            puts("ROTATE 1");
            fflush(stdout);
        }
    return 0;
}
"#;

const CLUSTER_PYTHON: &str = r#"
import sys
for line in sys.stdin:
    if line == "\n":
        print("ROTATE 1", flush=True)
"#;

/// Answers a tick of rezzo with its number and a blank.
const REZZO_C: &str = r#"
#include <unistd.h>
int main(void)
{
    char message[340];
    size_t have = 0;
    for (;;) {
        ssize_t got = read(0, message + have, sizeof message - have);
        if (got <= 0)
            return 0;
        have += got;
        if (have == sizeof message) {
            have = 0;
            message[0] = ' ';
            char reply[2] = {message[1], ' '};
            if (write(1, reply, 2) != 2)
                return 1;
        }
    }
}
"#;

/// Rests, cell by cell.
const CELLHACK_C: &str =
    "uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)
{
    return REST;
}
";

/// Rests, a batch at a time.
const CELLHACK_BATCH_C: &str = r#"
#include "agon/cellhack.h"
uint32_t agon_abi(void) { return AGON_ABI; }
uint32_t agon_decide(const void *question, uint32_t length, void *room, uint32_t bytes)
{
    uint32_t cells = ((const agon_question *)question)->decisions;
    cellhack_answer *answers = room;
    for (uint32_t i = 0; i < cells; i++) {
        answers[i].action = CELLHACK_REST;
        answers[i].memory = cellhack_question_at(question, i)->memory;
    }
    return cells * sizeof(cellhack_answer);
}
"#;

/// Gives the same answer to every decision of a game, with replacements for `GAME` and `ANSWER`.
const BATCH_C: &str = r#"
#include "agon/GAME.h"
uint32_t agon_abi(void) { return AGON_ABI; }
uint32_t agon_decide(const void *question, uint32_t length, void *room, uint32_t bytes)
{
    uint32_t decisions = ((const agon_question *)question)->decisions;
    GAME_answer *answers = room;
    for (uint32_t i = 0; i < decisions; i++)
        answers[i] = (GAME_answer)ANSWER;
    return decisions * sizeof(GAME_answer);
}
"#;

/// Answers every line with the same one; the benchmark asks about step 0 again and again.
const JSONL_C: &str = r#"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char message[1 << 20];
static int read_line(void)
{
    size_t have = 0;
    for (;;) {
        ssize_t got = read(0, message + have, sizeof message - have);
        if (got <= 0)
            return 0;
        have += got;
        if (message[have - 1] == '\n')
            return 1;
    }
}
int main(void)
{
    const char *reply = "{\"step\":0,\"answers\":[" REPLY "]}\n";
    do {
        if (!read_line())
            return 0;
        /* The first message, and the first question with it if both are there, needs no answer. */
    } while (!strstr(message, "\"decide\""));
    do {
        if (write(1, reply, strlen(reply)) < 0)
            return 1;
    } while (read_line());
    return 0;
}
"#;

/// Answers every request in one write, without a look at it.
const HTTP_C: &str = r#"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char request[1 << 16];
static int read_request(int from)
{
    size_t have = 0;
    for (;;) {
        ssize_t got = read(from, request + have, sizeof request - 1 - have);
        if (got <= 0)
            return 0;
        have += got;
        request[have] = 0;
        char *body = strstr(request, "\r\n\r\n"), *length = strstr(request, "Content-Length: ");
        if (body && request + have >= body + 4 + (length ? atoi(length + 16) : 0))
            return 1;
    }
}
int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(getenv("PORT"))),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (bind(listener, (void *)&address, sizeof address) || listen(listener, 8))
        return 1;
    int client = accept(listener, 0, 0);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    const char *response = "HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n"
                           "{\"apiversion\": \"1\", \"move\": \"up\"}";
    while (read_request(client))
        if (write(client, response, strlen(response)) < 0)
            return 1;
    return 0;
}
"#;

/// Returns every input: the base of every program's host.
const ECHO_C: &str = r#"
#include <unistd.h>
int main(void)
{
    char line[16];
    ssize_t got;
    while ((got = read(0, line, sizeof line)) > 0)
        if (write(1, line, got) != got)
            return 1;
    return 0;
}
"#;

/// Asks the bot of player 0 repeatedly.
fn measure(c: &mut Criterion, workshop: &Workshop, name: &str, game: &AnyGame, spec: &str) {
    let options = support::options(workshop.0.path().join("cache"));
    support::measure(c, ("round trip", name), &options, game, spec);
}

/// Bots for the benchmark, compiled or just written.
struct Workshop(TempDir);

impl Workshop {
    fn new() -> Workshop {
        Workshop(tempfile::tempdir().expect("there is room for a folder"))
    }

    fn write(&self, name: &str, text: &str) -> String {
        support::write(self.0.path(), name, text)
    }

    /// Makes a native bot for a game that always answers the same.
    fn native(&self, game: &str, answer: &str) -> String {
        let source = BATCH_C.replace("GAME", game).replace("ANSWER", answer);
        self.write(&format!("{game}.c"), &source)
    }

    fn compile(&self, name: &str, text: &str) -> String {
        support::compile(self.0.path(), name, text)
    }
}

/// Makes a match of two players.
fn new<G: FullGame>() -> AnyGame {
    AnyGame::of(G::new(&G::Rules::default(), 2, Seed(1)).expect("the defaults fit"))
}

/// Makes a board with this many cells of player 0, and one of player 1.
fn cells(count: u32) -> AnyGame {
    let side = if count > 1000 { 256 } else { 64 };
    let rules = cellhack::Rules { width: side, height: side, ..cellhack::Rules::default() };
    let cell = |n: u32| cellhack::Cell {
        x: 2 * n % rules.width,
        y: 2 * n / rules.width,
        player: (n / count) as u16,
        energy: 50,
        memory: 0,
    };
    let players = 2;
    let turn = 0;
    let cells = (0..=count).map(cell).collect();
    let position = cellhack::Position { players, turn, cells, rocks: vec![] };
    let game = Cellhack::from_position(&rules, Seed(1), position);
    AnyGame::of(game.expect("the position fits the rules"))
}

fn cellhack(c: &mut Criterion) {
    let workshop = Workshop::new();
    let function = workshop.write("function.c", CELLHACK_C);
    let batch = workshop.write("batch.c", CELLHACK_BATCH_C);
    let example =
        |bot: &str| format!("{}/../../examples/bots/cellhack/{bot}.c", env!("CARGO_MANIFEST_DIR"));
    for count in [1, 1000, 10_000] {
        let game = cells(count);
        for (bot, spec) in [
            ("C function that rests", function.clone()),
            ("C function for batches that rests", batch.clone()),
            ("C function drifter", example("drifter")),
            ("C function pioneers", example("pioneers")),
            ("built-in grower", "builtin:grower".to_owned()),
        ] {
            measure(
                c,
                &workshop,
                &format!("{bot}, cellhack, cells at once: {count}"),
                &game,
                &spec,
            );
        }
    }
}

/// Measures a class of amoebas of player 0, beside one of player 1.
fn amoebas(c: &mut Criterion) {
    let workshop = Workshop::new();
    let rules = amoebas::Rules::default();
    let amoeba = |n: u32| amoebas::Amoeba {
        x: 5 * n % rules.world_size,
        y: 5 * (5 * n / rules.world_size),
        species: n / 1000,
        energy: 50,
        health: 10,
        data: None,
        function: None,
        acted: false,
    };
    let all = (0..=1000).map(amoeba).collect();
    let position = amoebas::Position { players: 2, round: 0, fuel: vec![], amoebas: all };
    let game = Amoebas::from_position(&rules, Seed(1), position);
    let game = AnyGame::of(game.expect("the position fits the rules"));
    let native = workshop.native("amoebas", "{.action = AMOEBAS_REST}");
    measure(c, &workshop, "C functions, amoebas at once: 1000", &game, &native);
}

fn cluster(c: &mut Criterion) {
    let workshop = Workshop::new();
    let game = new::<Cluster>();
    let program = workshop.compile("cluster", CLUSTER_C);
    measure(c, &workshop, "C program, cluster", &game, &program);
    let native = workshop.native("cluster", "{.action = CLUSTER_ROTATE, .cycles = 1}");
    measure(c, &workshop, "C functions, cluster", &game, &native);
    let script = workshop.write("cluster.py", CLUSTER_PYTHON);
    measure(c, &workshop, "Python program, cluster", &game, &format!("python3 {script}"));
    measure(c, &workshop, "built-in random, cluster", &game, "builtin:random");
}

fn rezzo(c: &mut Criterion) {
    let workshop = Workshop::new();
    let game = new::<Rezzo>();
    let program = workshop.compile("rezzo", REZZO_C);
    measure(c, &workshop, "C program, rezzo", &game, &program);
    let native = workshop.native("rezzo", "{.action = REZZO_NOP}");
    measure(c, &workshop, "C functions, rezzo", &game, &native);
    measure(c, &workshop, "built-in wanderer, rezzo", &game, "builtin:wanderer");
}

/// Measures the JSON Lines protocol, and just a line of 16 bytes through two pipes.
///
/// The difference is the cost of the host and of the formats of questions and answers.
fn jsonl(c: &mut Criterion) {
    let workshop = Workshop::new();
    let bot = |name: &str, reply: &str| {
        let define = format!("#define REPLY {reply:?}\n");
        format!("jsonl:{}", workshop.compile(name, &(define + JSONL_C)))
    };
    let echo = workshop.compile("echo", ECHO_C);
    let mut child = Command::new(echo)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it is there");
    let (mut to, mut from) =
        (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    c.bench_function("round trip/jsonl: bare pipe, 16 bytes", |b| {
        b.iter(|| {
            let mut line = *b"a line of bytes\n";
            to.write_all(&line).expect("it reads");
            from.read_exact(&mut line).expect("it answers");
            line
        });
    });
    drop((to, from));
    child.wait().expect("it ends");

    let game = new::<Rezzo>();
    let program = bot("jsonl-rezzo", r#"{"action":"TURN_LEFT"}"#);
    measure(c, &workshop, "jsonl: C program, rezzo", &game, &program);
    let game = new::<Cluster>();
    let program = bot("jsonl-cluster", r#"{"action":"ROTATE","cycles":1}"#);
    measure(c, &workshop, "jsonl: C program, cluster", &game, &program);
    let program = bot("jsonl-cellhack", r#"{"action":"MOVE_UP"}"#);
    measure(c, &workshop, "jsonl: C program, cellhack, one cell", &cells(1), &program);
}

/// Measures a web server, and just a request of the same length over the same kind of connection.
///
/// The difference is the cost of the host and of the formats of requests and responses.
fn http(c: &mut Criterion) {
    let workshop = Workshop::new();
    let server = workshop.compile("server", HTTP_C);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let free = free.expect("there is a port");
    let mut child =
        Command::new(&server).env("PORT", free.port().to_string()).spawn().expect("it is there");
    let connected = std::iter::repeat_with(|| TcpStream::connect(free)).find_map(Result::ok);
    let mut stream = connected.expect("it listens soon");
    stream.set_nodelay(true).expect("it is connected");
    let body = " ".repeat(1500);
    let request = format!("POST /move HTTP/1.1\r\nContent-Length: 1500\r\n\r\n{body}");
    c.bench_function("round trip/http: bare connection", |b| {
        b.iter(|| {
            let mut response = [0; 72];
            stream.write_all(request.as_bytes()).expect("it reads");
            stream.read_exact(&mut response).expect("it answers");
            response
        });
    });
    drop(stream);
    child.wait().expect("it ends");

    let game = new::<Battlesnake>();
    measure(c, &workshop, "http: C server, battlesnake", &game, &format!("http:{server}"));
}

/// Measures runners, which are new processes each turn.
fn binfection(c: &mut Criterion) {
    let workshop = Workshop::new();
    let rules =
        binfection::Rules { field_width: 20, field_height: 20, ..binfection::Rules::default() };
    let cell = |n: u16| binfection::Cell {
        x: 1 + 9 * u32::from(n),
        y: 1,
        owner: Some(Player(n)),
        units: 10,
    };
    let players = 2;
    let turn = 0;
    let cells = (0..2).map(cell).collect();
    let position = binfection::Position { turn, players, cells, fallen: vec![] };
    let game = Binfection::from_position(&rules, Seed(1), position);
    let game = AnyGame::of(game.expect("the position fits the rules"));
    let script = workshop.write("runner.sh", support::BINFECTION_SH);
    measure(c, &workshop, "runner in sh, binfection 20x20", &game, &script);
    let native = workshop.write("binfection.c", support::BINFECTION_C);
    measure(c, &workshop, "C functions, binfection 20x20", &game, &native);
}

criterion_group! {
    name = on_one_core;
    config = support::config();
    targets = support::pin, cellhack, amoebas, cluster, rezzo, jsonl, http, binfection
}
criterion_main!(on_one_core);
