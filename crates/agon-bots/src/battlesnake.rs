//! The host of web servers that play Battlesnake by its official API.
//!
//! The first answer takes the start of the program, `GET /`, `POST /start` and `POST /move`; later
//! ones take a `POST /move` each. A missing or wrong answer costs its turn. The end of the program,
//! and [`TIMEOUTS`] late answers in a row, end the bot. Answers to `/start` and `/end` do not
//! matter, as in the official game.

use std::sync::Once;
use std::time::{Duration, Instant};
use std::{io, os::fd::OwnedFd};

use agon_core::{Evidence, Fault, FaultKind, Outcome, Player};
use agon_games::any::{AnswersMut, AnyGame};
use agon_games::battlesnake::web::{WebMatch, check_index, parse_move};
use agon_games::battlesnake::{Battlesnake, Board};
use agon_games::kit::SmallGame;

use crate::clock::{Bank, Timer};
use crate::http::{Address, Connection, MOST, Response};
use crate::jsonl::{GOODBYE, TIMEOUTS, on_the_wall, with_start_up};
use crate::process::{FaultSite, Launch, Output, Process};
use crate::{
    BatchLimits, BatchPart, Bot, Clock, HostOptions, Hosting, Level, OpenError, Progress, Seat,
    Timing, TurnLog, Usage, Wait, WebServer, shortage,
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
    address: Address,
    /// The socket that connects to it; `None` if one comes from its own network, or is in use.
    socket: Option<OwnedFd>,
    turn_log: TurnLog,
    first: Option<Clock>,
    clock: Option<Clock>,
    bank: Bank,
    /// `None` before the first question.
    player: Option<Player>,
    /// The place in [`PATHS`] of what it is asked next.
    stage: usize,
    /// `None` before the match, and after the end of the bot.
    session: Option<Session>,
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

/// A server that runs.
struct Session {
    process: Process,
    connection: Connection,
    web: WebMatch,
}

fn open(server: WebServer<'_>, options: &HostOptions) -> Result<WebSnake, OpenError> {
    let unprepared = |source| OpenError::unprepared("a connection to a web server", source);
    let (launch, address, first, clock) = match server {
        WebServer::Program(program) => {
            let mut launch = program.launch(options);
            launch.output = Output::Talk;
            launch.needs.loopback = true;
            let address = match launch.sandbox.level {
                Level::Off => Address::free().map_err(unprepared)?,
                _ => Address::confined(),
            };
            let (host, port) = (address.socket.ip(), address.socket.port());
            launch.env.push(("HOST".into(), host.to_string().into()));
            launch.env.push(("PORT".into(), port.to_string().into()));
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
    let is_confined = launch.as_ref().is_some_and(|launch| launch.sandbox.level != Level::Off);
    let socket = (!is_confined).then(|| Connection::socket(&address)).transpose();
    let turn_log = launch.as_ref().map(|launch| launch.turn_log.clone()).unwrap_or_default();
    Ok(WebSnake {
        launch,
        address,
        socket: socket.map_err(unprepared)?,
        turn_log,
        first,
        clock,
        bank: Bank::of(clock),
        player: None,
        stage: 0,
        session: None,
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
        let site = FaultSite::start(seat.player);
        match self.session(seat, site) {
            Ok(session) => self.session = Some(session),
            Err(fault) => faults.push(fault),
        }
    }

    fn ask(&mut self, part: BatchPart<'_>, _: &mut Vec<Fault>) {
        let is_first = self.player.is_none();
        self.prepare_request(part);
        let Some(Session { process, connection, .. }) = &mut self.session else { return };
        let clock = if is_first { self.first } else { self.clock };
        let timer = Timer::start(clock, is_first, &process.meter());
        self.timer = Some(timer.banked(self.bank));
        // All snakes think at the same time.
        self.come = connection.exchange(process, &self.request);
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
            if let Some(session) = &self.session {
                self.bank.charge(timer.beyond(&session.process.meter()));
            }
        }
        if self.session.is_none() {
            answers.forfeit();
        }
        Progress::Done
    }

    fn goodbye(&mut self, game: &AnyGame, _: Option<&Outcome>) -> Duration {
        let Some(Session { process, connection, web }) = &mut self.session else {
            return Duration::ZERO;
        };
        // It must know the match.
        let player = self.player.filter(|_| PATHS[self.stage] == MOVE);
        let Some(player) = player else { return Duration::ZERO };
        connection.give_up(process);
        let body = web.body(game.of_game::<Battlesnake>(), player, self.latency);
        self.request = connection.request("/end", Some(&body));
        self.come = connection.exchange(process, &self.request);
        self.deadline = Some(Instant::now() + GOODBYE);
        GOODBYE
    }

    fn stop(&mut self) {
        let Some(Session { process, connection, .. }) = &mut self.session else { return };
        if let (None, Some(deadline)) = (&self.come, self.deadline) {
            let request = &self.request;
            process.linger(deadline, |process| connection.exchange(process, request).is_some());
        }
        self.session = None;
    }

    fn is_silent(&self) -> bool {
        self.session.is_none()
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        let first = self.first?.first;
        let each = Duration::ZERO;
        self.clock.map(|clock| BatchLimits { clock: Clock { first, ..clock }, each })
    }

    fn time_left(&self) -> Option<Duration> {
        self.timer.as_ref()?.estimate(&self.session.as_ref()?.process.meter())
    }

    fn turn_log(&self) -> Option<TurnLog> {
        Some(self.turn_log.clone())
    }

    fn evidence(&mut self) -> Evidence {
        self.session.as_mut().map(|it| it.process.evidence_now()).unwrap_or_default()
    }

    fn usage(&mut self) -> Option<Usage> {
        self.session.as_mut()?.process.usage()
    }
}

impl WebSnake {
    /// Starts the server, unless it runs, and prepares the connection to it.
    fn session(&mut self, seat: Seat<'_>, site: FaultSite) -> Result<Session, Fault> {
        let failed = |error: io::Error| {
            let lack = shortage::behind(&error, "there is no connection to a web server");
            lack.into_iter().for_each(|lack| self.turn_log.lack(lack));
            site.fault(FaultKind::Start, format!("there is no connection to it: {error}"))
        };
        let mut process = match &self.launch {
            Some(launch) => Process::start(launch, site)?,
            None => Process::elsewhere(self.turn_log.clone()).map_err(failed)?,
        };
        process.allow_output(MOST);
        let socket = process.take_socket().or_else(|| self.socket.take());
        let socket = socket.ok_or_else(|| failed(io::ErrorKind::NotConnected.into()))?;
        let connection = Connection::new(socket, self.address.clone()).map_err(failed)?;
        let timeout = self.clock.unwrap_or(CLOCK).then;
        let mut web = WebMatch { id: String::new(), names: seat.names.to_vec(), timeout };
        // All snakes of a match see the same board and names, so they get the same name for it.
        let facts = web.body(seat.game.of_game::<Battlesnake>(), Player(0), Duration::ZERO);
        web.id = blake3::hash(&facts).to_hex()[..32].to_owned();
        Ok(Session { process, connection, web })
    }

    /// Makes the request of the stage.
    fn prepare_request(&mut self, part: BatchPart<'_>) {
        let Some(Session { connection, web, .. }) = &self.session else { return };
        self.player = Some(part.player);
        let body = || web.body(part.game.of_game::<Battlesnake>(), part.player, self.latency);
        let body = (self.stage > 0).then(body);
        self.request = connection.request(PATHS[self.stage], body.as_deref());
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
                    self.prepare_request(part);
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
        let Some(Session { process, connection, .. }) = &mut self.session else {
            return Err(Progress::Done);
        };
        let looked = process.look(timer, |process| {
            if self.come.is_none() {
                self.come = connection.exchange(process, &self.request);
            }
            self.come.is_some()
        });
        match looked {
            Err(Progress::Waits(_)) if !connection.is_open() => {
                Err(Progress::Waits(Wait::until(Instant::now() + RETRY)))
            }
            Err(progress) => Err(progress),
            Ok(Err(trouble)) => Ok(Err(process.describe(trouble, timer))),
            Ok(Ok(())) => self.come.take().ok_or(Progress::Last),
        }
    }

    /// Closes the connection, unless its last response has come as a whole.
    fn hang_up(&mut self) {
        if let Some(Session { process, connection, .. }) = &mut self.session {
            connection.give_up(process);
        }
    }

    /// Handles the lack of an answer, or one that cannot be used.
    fn fault(&mut self, site: FaultSite, kind: FaultKind, mut detail: String) -> Option<Fault> {
        let Session { connection, web, .. } = self.session.as_ref()?;
        if kind == FaultKind::Timeout {
            self.latency = web.timeout;
            self.timeouts += 1;
            if !connection.is_open() {
                let place = connection.address();
                detail.push_str(&format!("; it takes no connection at {place} (HOST and PORT)"));
            }
        } else {
            self.timeouts = 0;
        }
        let too_many = self.timeouts >= TIMEOUTS;
        if too_many {
            detail.push_str(&format!("; that was {TIMEOUTS} times in a row"));
        }
        if too_many || kind == FaultKind::Crash {
            let detail = format!("{detail}; the bot stays out from now on");
            let mut session = self.session.take()?;
            return Some(session.process.end_with(site, kind, detail));
        }
        let Session { process, .. } = self.session.as_mut()?;
        let fault = process.seen_now(site, kind, detail);
        // A late answer must not be taken for the next one.
        self.hang_up();
        Some(fault)
    }
}

fn garbage<T>(checked: Result<T, String>) -> Result<T, (FaultKind, String)> {
    checked.map_err(|detail| (FaultKind::Garbage, detail))
}
