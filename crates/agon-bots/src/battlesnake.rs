//! The host of web servers that play Battlesnake by its official API.
//!
//! The first answer takes the start of the program, `GET /`, `POST /start` and `POST /move`; later
//! ones take a `POST /move` each. A missing or wrong answer costs its turn. The end of the program,
//! and [`TIMEOUTS`] late answers in a row, end the bot. Answers to `/start` and `/end` do not
//! matter, as in the official game.

use std::io;
use std::sync::Once;
use std::time::{Duration, Instant};

use agon_core::{Fault, FaultKind, Outcome, Player};
use agon_games::any::{AnswersMut, AnyGame};
use agon_games::battlesnake::web::{WebMatch, check_index, parse_move};
use agon_games::battlesnake::{Battlesnake, Board};
use agon_games::kit::SmallGame;

use crate::clock::{Bank, Timer};
use crate::http::{Address, Connection, MOST, Response};
use crate::jsonl::{GOODBYE, TIMEOUTS, on_the_wall, with_start_up};
use crate::process::{FaultSite, Launch, Output, Process, methods_of_program};
use crate::{
    BatchLimits, BatchPart, Bot, Clock, HostOptions, Hosting, Level, OpenError, Progress, Seat,
    Timing, TurnLog, Wait, WebServer, shortage,
};

/// The time limits that the game documents.
const CLOCK: Clock = Clock {
    first: <Board as SmallGame>::FIRST_ANSWER,
    then: <Board as SmallGame>::LATER_ANSWERS,
    wall_factor: Clock::WALL_FACTOR,
    bank: Duration::ZERO,
};

/// What a server is asked, in this order; the last one in each turn.
const PATHS: [&str; 3] = ["/", "/start", MOVE];
const MOVE: &str = "/move";

/// The time between two tries to reach a server that does not listen yet: nothing tells when.
const RETRY: Duration = Duration::from_millis(5);

pub(crate) const HOSTING: Hosting = Hosting {
    http: Some(|server, options| Ok(Box::new(open(server, options)?))),
    ..Hosting::with_pace(BatchLimits { clock: CLOCK, each: Duration::ZERO })
};

/// A web server in a match.
struct WebSnake {
    /// `None` if it runs already.
    launch: Option<Launch>,
    connection: Connection,
    turn_log: TurnLog,
    first: Option<Clock>,
    clock: Option<Clock>,
    bank: Bank,
    web: WebMatch,
    /// `None` before the first question.
    player: Option<Player>,
    /// The place in [`PATHS`] of what it is asked next.
    stage: usize,
    /// `None` before the match, and after the end of the bot.
    process: Option<Process>,
    timer: Option<Timer>,
    /// The request that is sent, and its response, once that has come.
    request: Vec<u8>,
    come: Option<Result<Response, (FaultKind, String)>>,
    /// The number of late answers in a row.
    timeouts: u32,
    /// How long the last answer took.
    latency: Duration,
    /// The time at which the server is ended, if it knows that the match is over.
    deadline: Option<Instant>,
}

fn open(server: WebServer<'_>, options: &HostOptions) -> Result<WebSnake, OpenError> {
    let (launch, address, first, clock) = match server {
        WebServer::Program(program) => {
            let mut launch = program.launch(options);
            launch.output = Output::Talk;
            launch.needs.loopback = true;
            let address = match launch.sandbox.level {
                Level::Off => Address::free()
                    .map_err(|source| OpenError::unprepared("a web server", source))?,
                _ => Address::confined(),
            };
            launch.env.push(("HOST".into(), address.socket.ip().to_string().into()));
            launch.env.push(("PORT".into(), address.socket.port().to_string().into()));
            let clock = options.timing.or(CLOCK);
            (Some(launch), address, clock.map(|clock| with_start_up(clock, options)), clock)
        }
        WebServer::Address(text) => {
            let address = Address::find(text)?;
            static ONCE: Once = Once::new();
            ONCE.call_once(|| {
                options.announce(
                    "note: web servers at an address play without confinement; Agon confines \
                     those that it starts (`http:PROGRAM`)",
                );
            });
            // Its CPU time is unknown.
            let clock = match options.timing {
                Timing::Clock(clock) => Some(clock),
                timing if options.time_peers => timing.or(CLOCK).map(on_the_wall),
                timing => timing.or(CLOCK),
            };
            let clock = clock.map(|clock| Clock { wall_factor: 1, ..clock });
            (None, address, clock, clock)
        }
    };
    let timeout = clock.unwrap_or(CLOCK).then;
    Ok(WebSnake {
        connection: Connection::new(address),
        turn_log: launch.as_ref().map(|launch| launch.turn_log.clone()).unwrap_or_default(),
        launch,
        first,
        clock,
        bank: Bank::of(clock),
        web: WebMatch { id: String::new(), names: Vec::new(), timeout },
        player: None,
        stage: 0,
        process: None,
        timer: None,
        request: Vec::new(),
        come: None,
        timeouts: 0,
        latency: Duration::ZERO,
        deadline: None,
    })
}

impl Bot for WebSnake {
    fn start(&mut self, seat: Seat<'_>, faults: &mut Vec<Fault>) {
        self.web.names = seat.names.to_vec();
        // All snakes of a match see the same board and names, so they get the same name for it.
        let game = seat.game.of_game::<Battlesnake>();
        let facts = self.web.body(game, Player(0), Duration::ZERO);
        self.web.id = blake3::hash(&facts).to_hex()[..32].to_owned();
        match self.begin(FaultSite::start(seat.player)) {
            Ok(process) => self.process = Some(process),
            Err(fault) => faults.push(fault),
        }
    }

    fn ask(&mut self, part: BatchPart<'_>, _: &mut Vec<Fault>) {
        let Some(process) = &mut self.process else { return };
        let is_first = self.player.replace(part.player).is_none();
        let clock = if is_first { self.first } else { self.clock };
        let timer = Timer::start(clock, is_first, &process.meter());
        self.timer = Some(timer.banked(self.bank));
        self.request(PATHS[self.stage], part.game);
    }

    fn collect(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        if let Some(timer) = self.timer.take() {
            match self.answer(part, answers.reborrow(), &timer) {
                Ok(fault) => faults.extend(fault),
                Err(progress) => {
                    self.timer = Some(timer);
                    return progress;
                }
            }
            if let Some(process) = &self.process {
                self.bank.charge(timer.beyond(&process.meter()));
            }
        }
        if self.process.is_none() {
            answers.forfeit();
        }
        Progress::Done
    }

    fn goodbye(&mut self, game: &AnyGame, _: Option<&Outcome>) -> Duration {
        // It must know the match.
        if self.process.is_none() || PATHS[self.stage] != MOVE {
            return Duration::ZERO;
        }
        self.hang_up();
        self.request("/end", game);
        self.deadline = Some(Instant::now() + GOODBYE);
        GOODBYE
    }

    fn stop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        let deadline = self.deadline.unwrap_or_else(Instant::now);
        while self.come.is_none() && process.trouble().is_none() && Instant::now() < deadline {
            process.pump_for(Some(deadline.saturating_duration_since(Instant::now())));
            self.come = self.connection.exchange(&mut process, &self.request);
        }
    }

    fn is_silent(&self) -> bool {
        self.process.is_none()
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        let first = self.first?.first;
        let each = Duration::ZERO;
        self.clock.map(|clock| BatchLimits { clock: Clock { first, ..clock }, each })
    }

    methods_of_program!(server turn_log);
}

impl WebSnake {
    /// Starts the server, unless it runs, and prepares connections to it.
    fn begin(&mut self, site: FaultSite) -> Result<Process, Fault> {
        let mut process = match &self.launch {
            Some(launch) => Process::start(launch, site)?,
            None => Process::elsewhere(self.turn_log.clone())
                .map_err(|error| site.fault(FaultKind::Start, error.to_string()))?,
        };
        process.allow_output(MOST);
        let own = process.take_socket();
        let needs_own = |launch: &Launch| launch.sandbox.level != Level::Off;
        let prepared = match own.is_none() && self.launch.as_ref().is_some_and(needs_own) {
            true => Err(io::Error::other("there is no socket in its network")),
            false => self.connection.prepare(own),
        };
        match prepared {
            Ok(()) => Ok(process),
            Err(error) => {
                let what = "a web server cannot be connected";
                let lack = shortage::behind(&error, what);
                lack.into_iter().for_each(|lack| self.turn_log.lack(lack));
                Err(site.fault(FaultKind::Start, format!("{what}: {error}")))
            }
        }
    }

    /// Makes a request, and sends it if the server listens: all snakes think at the same time.
    fn request(&mut self, path: &str, game: &AnyGame) {
        let (Some(process), Some(player)) = (&mut self.process, self.player) else { return };
        let body = || self.web.body(game.of_game::<Battlesnake>(), player, self.latency);
        self.request = self.connection.request(path, (path != "/").then(body).as_deref());
        self.come = self.connection.exchange(process, &self.request);
    }

    /// Looks for the answer to the question and returns its fault; fails while there is none.
    fn answer(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        timer: &Timer,
    ) -> Result<Option<Fault>, Progress> {
        loop {
            let response = self.response(timer)?;
            let is_final = matches!(response, Err((FaultKind::Timeout | FaultKind::Crash, _)));
            let path = PATHS[self.stage];
            if !is_final && path != MOVE {
                self.stage += 1;
            }
            let checked = match (path, response) {
                // What it answers to the start does not matter.
                ("/start", _) if !is_final => {
                    self.hang_up();
                    Ok(None)
                }
                (_, Err(missing)) => Err(missing),
                (_, Ok(Response { status, .. })) if status != 200 => {
                    Err((FaultKind::Garbage, format!("its response has status {status}")))
                }
                (MOVE, Ok(response)) => garbage(parse_move(&response.body).map(Some)),
                (_, Ok(response)) => garbage(check_index(&response.body).map(|()| None)),
            };
            match checked {
                Ok(None) => {
                    timer.go_on();
                    self.request(PATHS[self.stage], part.game);
                }
                Ok(Some(answer)) => {
                    self.latency = timer.wall();
                    self.timeouts = 0;
                    answers.of_game::<Battlesnake>().fill(answer);
                    return Ok(None);
                }
                Err((kind, detail)) => return Ok(self.fault(part.into(), kind, detail)),
            }
        }
    }

    /// Looks for the response to the request, or for the reason why there is none.
    fn response(
        &mut self,
        timer: &Timer,
    ) -> Result<Result<Response, (FaultKind, String)>, Progress> {
        let Some(process) = &mut self.process else { return Err(Progress::Done) };
        let (connection, come) = (&mut self.connection, &mut self.come);
        let looked = process.look(timer, |process| {
            if come.is_none() {
                *come = connection.exchange(process, &self.request);
            }
            come.is_some()
        });
        match looked {
            Err(Progress::Waits(_)) if !connection.is_open() => {
                Err(Progress::Waits(Wait::until(Instant::now() + RETRY)))
            }
            Err(progress) => Err(progress),
            Ok(Err(trouble)) => Ok(Err(process.describe(trouble, timer))),
            Ok(Ok(())) => come.take().ok_or(Progress::Last),
        }
    }

    /// Closes the connection, unless its last response has come as a whole.
    fn hang_up(&mut self) {
        if let Some(process) = &mut self.process {
            self.connection.give_up(process);
        }
    }

    /// Handles the lack of an answer, or one that cannot be used.
    fn fault(&mut self, site: FaultSite, kind: FaultKind, mut detail: String) -> Option<Fault> {
        self.timeouts += 1;
        if kind != FaultKind::Timeout {
            self.timeouts = 0;
        } else {
            self.latency = self.web.timeout;
            if !self.connection.is_open() {
                let place = self.connection.address();
                detail.push_str(&format!("; it takes no connection at {place} (HOST and PORT)"));
            }
        }
        let too_many = self.timeouts >= TIMEOUTS;
        if too_many {
            detail.push_str(&format!("; that was {TIMEOUTS} times in a row"));
        }
        if too_many || kind == FaultKind::Crash {
            let detail = format!("{detail}; the bot stays out from now on");
            return Some(self.process.take()?.end_with(site, kind, detail));
        }
        let fault = self.process.as_mut()?.seen_now(site, kind, detail);
        // A late answer must not be taken for the next one.
        self.hang_up();
        Some(fault)
    }
}

fn garbage<T>(checked: Result<T, String>) -> Result<T, (FaultKind, String)> {
    checked.map_err(|detail| (FaultKind::Garbage, detail))
}
