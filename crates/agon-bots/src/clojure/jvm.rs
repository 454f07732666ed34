//! A JVM in which species live, as the arena sees it.

use std::{
    os::fd::OwnedFd,
    path::{Path, PathBuf, absolute},
    sync::Arc,
    time::{Duration, Instant},
};

use agon_core::{Evidence, Fault, FaultKind, Game, Player, Purpose, Seed};
use agon_games::amoebas::{Amoebas, Answer, Rules};
use serde_json::{Value, json};

use super::{
    Jvms,
    answers::{self, Decided},
    java::Java,
    question::Question,
};
use crate::{
    Clock, Diary, Farewell, HostOptions, Hosted, OpenError, Pace, Timing, Turn, Usage,
    batch::Area,
    clock::Timer,
    diary::{Cost, Page},
    process::{Asked, Place, Process, note_cost},
    sandbox::{Level, own_folder},
    spec::ClojureFile,
};

/// Time for the JVM to start, and for a file to be loaded.
const STARTING: Clock = Clock::cpu(Duration::from_secs(20));

/// So many batches at the beginning may take longer by a factor: the JVM still interprets then.
const WARM_UP: u64 = 50;
const WARM_UP_FACTOR: u32 = 3;

/// What the arena waits beyond all limits that the JVM watches over itself.
const BEYOND: Duration = Duration::from_secs(30);

/// The most bytes of a question, and of room for its answers.
const QUESTION_ROOM: usize = crate::batch::QUESTION_ROOM;
const ANSWER_ROOM: usize = crate::batch::ANSWER_ROOM;

/// A JVM.
#[derive(Debug)]
pub(super) struct Jvm {
    java: Java,
    options: HostOptions,
    /// The files and folders that it may read.
    read: Vec<PathBuf>,
    /// The memory shared with it.
    file: Arc<OwnedFd>,
    /// Where it is noted what it costs and says.
    diary: Diary,
    area: Area,
    timing: Timing,
    /// `None` after a fault that ended it.
    process: Option<Process>,
    /// The files that have been loaded, by number.
    files: Vec<ClojureFile>,
    /// The file of each player, once a match has begun; `None` for those that live elsewhere.
    seats: Vec<(String, Option<usize>)>,
    /// Settings that it is told when it begins anew.
    rules: Option<Rules>,
    /// Whether it knows the seats.
    seated: bool,
    batches: u64,
    question: Question,
    buffer: Vec<u8>,
    decided: Vec<Decided>,
    /// What the last exchange has cost, and what the JVM said meanwhile.
    page: Page,
    asked: Instant,
    /// How it ended, and who has been told.
    ended: Option<(Fault, Vec<Player>)>,
}

/// What came of loading a file.
pub(super) enum Loaded {
    /// Its number in this JVM.
    Number(usize),
    /// Another file has defined the same namespace here.
    Taken,
}

impl Jvm {
    /// Starts a JVM for files in these folders.
    ///
    /// # Errors
    /// If Java or Clojure are not there, or it does not start.
    pub(super) fn open(read: Vec<PathBuf>, options: &HostOptions) -> Result<Jvm, OpenError> {
        let java = Java::find(options)?;
        let prepare = |source| OpenError::Prepare { what: "memory shared with the JVM", source };
        let (area, file) = Area::create().map_err(prepare)?;
        // The list of JVMs would hold itself.
        let options = HostOptions { jvms: Jvms::default(), ..options.clone() };
        let timing = options.timing;
        let mut jvm = Jvm {
            java,
            options,
            read,
            file,
            diary: Diary::default(),
            area,
            timing,
            process: None,
            files: Vec::new(),
            seats: Vec::new(),
            rules: None,
            seated: false,
            batches: 0,
            question: Question::default(),
            buffer: Vec::new(),
            decided: Vec::new(),
            page: Page::default(),
            asked: Instant::now(),
            ended: None,
        };
        jvm.start(Place::start(Player(0)))
            .map_err(|fault| OpenError::NoJvm { said: super::message(&fault) })?;
        Ok(jvm)
    }

    fn start(&mut self, place: Place) -> Result<(), Fault> {
        let mut launch = self.java.launch(self.read.clone(), &self.options);
        launch.inherits = Some(Arc::clone(&self.file));
        launch.diary = self.diary.clone();
        self.process = Some(Process::start(&launch, place)?);
        let reply = self.reply(Some(STARTING), place, "while the JVM started")?;
        match reply[0].as_str() {
            Some("ready") => Ok(()),
            _ => Err(self.end(place, FaultKind::Start, format!("the JVM said {reply} first"))),
        }
    }

    /// Whether a match is being played, so that no more species fit in.
    pub(super) fn has_begun(&self) -> bool {
        !self.seats.is_empty() || self.process.is_none()
    }

    /// Loads a file.
    ///
    /// # Errors
    /// If it cannot be loaded, or has no amoeba function.
    pub(super) fn load(&mut self, file: &ClojureFile) -> Result<Loaded, OpenError> {
        let error = |message| OpenError::Load { path: file.path.clone(), message };
        let place = Place::start(Player(0));
        let seen = self.show(&file.path, place).and_then(|()| self.send_file(file, place));
        seen.map_err(|fault| error(super::message(&fault)))?.map_err(error)
    }

    /// Lets it see the folder of a file: what a program sees is settled when it starts, so that it starts anew.
    fn show(&mut self, file: &Path, place: Place) -> Result<(), Fault> {
        let folders = own_folder(&absolute(file).unwrap_or_else(|_| file.to_owned()));
        if self.options.sandbox.level == Level::Off || folders.iter().all(|folder| self.read.contains(folder))
        {
            return Ok(());
        }
        self.read.extend(folders);
        if self.files.is_empty() && self.process.is_none() {
            return Ok(());
        }
        match self.begin_anew(place)? {
            None => Ok(()),
            Some(wrong) => Err(self.end(place, FaultKind::Start, wrong)),
        }
    }

    /// Starts it once more with the same files; returns what is wrong with one of them.
    fn begin_anew(&mut self, place: Place) -> Result<Option<String>, Fault> {
        self.process = None;
        self.start(place)?;
        if let Some(rules) = self.rules.take() {
            self.tell_physics(&rules);
        }
        for file in std::mem::take(&mut self.files) {
            let wrong = match self.send_file(&file, place)? {
                Ok(Loaded::Number(_)) => continue,
                Ok(Loaded::Taken) => "its namespace is taken".to_owned(),
                Err(wrong) => wrong,
            };
            return Ok(Some(format!("`{}`: {wrong}", file.path.display())));
        }
        Ok(None)
    }

    /// The outer error ends the JVM, the inner one is about the file.
    fn send_file(&mut self, file: &ClojureFile, place: Place) -> Result<Result<Loaded, String>, Fault> {
        self.tell(&json!(["load", file.path.to_string_lossy(), file.function]));
        let reply = self.reply(Some(STARTING), place, "while its file was loaded")?;
        match (reply[0].as_str(), reply[1].as_u64()) {
            (Some("loaded"), Some(number)) => {
                self.files.push(file.clone());
                Ok(Ok(Loaded::Number(number as usize)))
            }
            (Some("taken"), _) => Ok(Ok(Loaded::Taken)),
            (Some("error"), _) => Ok(Err(reply[1].as_str().unwrap_or_default().to_owned())),
            _ => Err(self.end(place, FaultKind::Garbage, format!("the JVM said {reply}"))),
        }
    }

    /// Who plays.
    pub(super) fn seat(&mut self, player: Player, number: usize, names: &[String]) {
        if self.seats.is_empty() {
            self.seats = names.iter().map(|name| (name.clone(), None)).collect();
        }
        if let Some((_, file)) = self.seats.get_mut(player.index()) {
            *file = Some(number);
        }
    }

    /// Who plays a tournament whose species the JVM knows itself.
    pub(super) fn seat_all(&mut self, names: &[String]) {
        self.question.clear();
        self.decided.clear();
        self.seats = names.iter().map(|name| (name.clone(), Some(0))).collect();
        self.seated = true;
    }

    /// Tells it the physics of the world, if it differs from the usual one.
    pub(super) fn tell_physics(&mut self, rules: &Rules) {
        if !has_usual_physics(rules) {
            self.tell(&json!(["physics", physics(rules)]));
        }
    }

    /// Adds what a species is asked to the question of the step.
    pub(super) fn ask(&mut self, turn: Turn<'_, Amoebas>) {
        if self.process.is_none() {
            return;
        }
        let seed = turn.game.seed().stream(Purpose::Bot(turn.player.0), turn.step).bits();
        let limit = self.limit(turn.decisions.len());
        let Jvm { question, seats, .. } = self;
        let lives_here = |player: Player| seats.get(player.index()).is_some_and(|(_, file)| file.is_some());
        question.add(turn, Seed(seed).derive(0).0, limit, lives_here);
    }

    /// Milliseconds of CPU time for so many decisions; 0: no limit.
    fn limit(&self, decisions: usize) -> u64 {
        let Pace { clock, each } = Amoebas::PACE;
        let Some(clock) = self.timing.or(clock) else { return 0 };
        let time = if self.batches == 0 { clock.first } else { clock.then };
        let time = time + each.saturating_mul(decisions as u32);
        let factor = if self.batches < WARM_UP { WARM_UP_FACTOR } else { 1 };
        (time * factor).as_millis().max(1) as u64
    }

    /// Takes a species' answers; the first call of a step asks for those of all species here.
    pub(super) fn collect(
        &mut self,
        turn: Turn<'_, Amoebas>,
        answers: &mut [Answer],
        faults: &mut Vec<Fault>,
        diary: &Diary,
    ) {
        if !self.question.parts().is_empty() {
            self.exchange(turn.game);
            self.question.clear();
        }
        let own = |decided: &Decided| decided.part.player == turn.player;
        let Some(at) = self.decided.iter().position(own) else {
            return self.tell_end(turn, faults, diary);
        };
        let mut decided = self.decided.swap_remove(at);
        let cost = Cost { cpu: Some(decided.cpu), ..self.page.cost.unwrap_or_default() };
        for fault in &mut decided.faults {
            note_cost(&mut fault.evidence, Some(cost));
            fault.evidence.last_input = decided.part.asked.to_string();
            fault.evidence.peak_memory = self.process.as_mut().and_then(Process::peak_memory);
        }
        faults.extend(decided.faults);
        diary.spend(self.asked, cost);
        diary.share(decided.cpu);
        diary.hear_end(decided.printed.0, &decided.printed.1);
        for (place, answer) in answers.iter_mut().zip(decided.answers) {
            *place = answer;
        }
    }

    /// Sends the question and gets all answers; the JVM has ended if there are none.
    fn exchange(&mut self, game: &Amoebas) {
        self.diary.turn();
        self.asked = Instant::now();
        let decided = self.decide(game);
        self.page = self.diary.turn();
        match decided {
            Ok(decided) => self.decided = decided,
            Err(fault) => self.ended = Some((fault, Vec::new())),
        }
    }

    /// Tells a species once that its JVM has ended.
    fn tell_end(&mut self, turn: Turn<'_, Amoebas>, faults: &mut Vec<Fault>, diary: &Diary) {
        let Some((fault, told)) = &mut self.ended else { return };
        if told.contains(&turn.player) {
            return;
        }
        told.push(turn.player);
        diary.hear_end(self.page.stderr.total(), self.page.stderr.text().as_bytes());
        if let Some(cost) = self.page.cost {
            diary.spend(self.asked, cost);
        }
        let count = turn.decisions.len();
        let mut fault = Fault { player: turn.player, step: turn.step, count: count as u64, ..fault.clone() };
        fault.detail.push_str(&format!(
            "; {count} of {count} decisions are lost, and all species of this JVM stay out from now on"
        ));
        fault.evidence.last_input = Asked::new(turn.step, turn.decisions).to_string();
        fault.evidence.unit = turn.decisions.first().map(|decision| decision.unit);
        faults.push(fault);
    }

    fn decide(&mut self, game: &Amoebas) -> Result<Vec<Decided>, Fault> {
        let first = &self.question.parts()[0];
        let place = Place { player: first.player, step: first.step };
        if !self.seated {
            self.take_seats(game.rules(), place)?;
        }
        self.question.write(game, &mut self.buffer);
        let (length, room) = (self.buffer.len(), 32 * self.question.decisions());
        if length > QUESTION_ROOM || room > ANSWER_ROOM / 2 {
            return Err(self.end(
                place,
                FaultKind::Garbage,
                format!("a question of {length} bytes is too long"),
            ));
        }
        self.area.ask(&self.buffer, 0);
        self.batches += 1;
        let number = self.batches;
        if let Some(process) = &mut self.process {
            process.send(format!("decide {number} {length}\n").as_bytes());
        }
        let limits = self.question.parts().iter().map(|part| part.limit);
        let unlimited = self.timing == Timing::Unlimited;
        let wall = Duration::from_millis(10 * limits.sum::<u64>()) + BEYOND;
        let reply = self.reply((!unlimited).then_some(Clock::wall(wall)), place, "")?;
        let (word, of, written) = (reply[0].as_str(), reply[1].as_u64(), reply[2].as_u64());
        let written = written.filter(|&written| written as usize <= ANSWER_ROOM);
        let (Some("done"), true, Some(written)) = (word, of == Some(number), written) else {
            return Err(self.end(place, FaultKind::Garbage, "it wrote to the arena's own pipe"));
        };
        self.area.answered(written as usize, &mut self.buffer);
        let read = answers::read(&self.question, &self.buffer);
        read.map_err(|wrong| {
            self.end(place, FaultKind::Garbage, format!("the JVM wrote no answers: {wrong}"))
        })
    }

    /// The match begins. Files see the constants of the match while they are loaded: if these are not the usual ones,
    /// which the files have seen when they were looked at, all begins anew.
    fn take_seats(&mut self, rules: &Rules, place: Place) -> Result<(), Fault> {
        if !has_usual_physics(rules) {
            self.rules = Some(rules.clone());
            if let Some(wrong) = self.begin_anew(place)? {
                return Err(self.end(
                    place,
                    FaultKind::Start,
                    format!("with the settings of the match: {wrong}"),
                ));
            }
        }
        let seats = json!(["seats", self.seats]);
        self.tell(&seats);
        self.seated = true;
        Ok(())
    }

    /// Sends a command: JSON, whose arrays and objects are EDN vectors and maps, as commas and colons are made blank.
    pub(super) fn tell(&mut self, command: &Value) {
        if let Some(process) = &mut self.process {
            process.send(format!("{}\n", edn(command)).as_bytes());
        }
    }

    /// Waits for a line.
    pub(super) fn reply(&mut self, clock: Option<Clock>, place: Place, when: &str) -> Result<Value, Fault> {
        let Some(process) = &mut self.process else {
            return Err(place.fault(FaultKind::Crash, "the JVM is gone"));
        };
        let clock = clock.and_then(|clock| match self.timing {
            Timing::Unlimited => None,
            _ => Some(clock),
        });
        let timer = Timer::start(clock, true, &process.meter());
        if let Err(trouble) = process.wait(&timer, |process| process.inbox().contains(&b'\n')) {
            let mut fault = process.end_with_trouble(place, trouble, &timer);
            if !when.is_empty() {
                fault.detail = format!("{when}: {}", fault.detail);
            }
            self.process = None;
            return Err(fault);
        }
        let line = String::from_utf8_lossy(process.take_line().unwrap_or_default()).into_owned();
        match serde_json::from_str(&line) {
            Ok(value) => Ok(value),
            Err(_) => Err(self.end(place, FaultKind::Garbage, "it wrote to the arena's own pipe")),
        }
    }

    fn end(&mut self, place: Place, kind: FaultKind, detail: impl Into<String>) -> Fault {
        let detail = detail.into();
        match self.process.take() {
            Some(mut process) => process.end_with(place, kind, detail),
            None => place.fault(kind, detail),
        }
    }

    /// The time limits that apply; the first answer's includes the start.
    pub(super) fn pace(&self) -> Option<Pace> {
        let clock = self.timing.or(Amoebas::PACE.clock)?;
        let first = STARTING.first + clock.first * WARM_UP_FACTOR;
        // The JVM itself keeps the limits, and no bank.
        Some(Pace { clock: Clock { first, ..clock }.with_bank(Duration::ZERO), ..Amoebas::PACE })
    }

    /// Where it is noted what the JVM costs and says.
    pub(super) fn diary(&self) -> &Diary {
        &self.diary
    }

    /// What can be seen of a species' last answer.
    pub(super) fn witness(&mut self) -> Evidence {
        Evidence { peak_memory: self.process.as_mut().and_then(Process::peak_memory), ..Evidence::default() }
    }

    pub(super) fn usage(&mut self) -> Option<Usage> {
        self.process.as_mut().and_then(Process::usage)
    }

    pub(super) fn farewell(&mut self, patience: Duration) -> Option<Farewell> {
        self.process.take().and_then(|process| process.farewell(patience))
    }
}

/// JSON as EDN: all that is different is what stands between things.
fn edn(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(edn).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{} {}", Value::from(key.as_str()), edn(value));
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(" "))
        }
        other => other.to_string(),
    }
}

/// Whether the constants are those that `amoebas.defs` has by itself.
fn has_usual_physics(rules: &Rules) -> bool {
    physics(rules) == physics(&Rules::default())
}

/// The constants as species know them.
fn physics(rules: &Rules) -> Value {
    json!({
        "WorldSize": rules.world_size,
        "SunEnergy": rules.sun_energy,
        "MaxCellEnergy": rules.max_cell_energy,
        "ViewDistance": rules.view_distance,
        "MaxAmoebaEnergy": rules.max_amoeba_energy,
        "RestEnergy": rules.rest_energy,
        "MoveEnergy": rules.move_energy,
        "AttackEnergy": rules.hit_energy,
        "HitEnergy": rules.hit_energy,
        "MaxFuelingEnergy": rules.max_fueling_energy,
        "MinDivideEnergy": rules.min_divide_energy,
        "DivideEnergyLoss": rules.divide_energy_loss,
        "MaxAmoebaHealth": rules.max_amoeba_health,
        "HitLoss": rules.hit_loss,
        "RecoveryGain": rules.recovery_gain,
    })
}
