//! The versions that play in an arena, with all that the runner knows of them; and their bots with
//! their files read, for many matches.

use std::time::{Duration, Instant};
use std::{collections::BTreeMap, sync::Arc};

use agon_arena::{BotEntry, host_options, unpacked};
use agon_bots::BotSpec;
use agon_core::Seed;
use agon_ladder::ledger::{FinalMatch, planned_place};
use agon_ladder::{Entrant, Health, Ladder, VersionId};
use agon_match::spec::BlobSeat;
use agon_rating::Skill;
use anyhow::{Context, Result};

use super::{id_of, players, version_id};
use crate::store::versions::{PlayState, Version};
use crate::{
    arena_handle::ArenaHandle, database::DatabaseError, shared::Shared, store::Stored,
    store::arenas::ArenaSettings, store::bots::Bot, store::matches::SeatedMatch,
};

/// Matches after which a version is well known: its rating is good to about 30 Elo points.
const WELL_KNOWN: u64 = 300;

/// Slow bots need fewer: those that fit into a minute of their own time, in microseconds.
const WELL_KNOWN_US: u64 = 60_000_000;

/// Matches that bosses play among themselves while nobody has handed in a bot.
const BOSS_MATCHES: u64 = 40;

/// The field of an arena.
#[derive(Debug)]
pub(crate) struct Field {
    pub(super) arena: ArenaHandle,
    pub(super) settings: ArenaSettings,
    pub(super) ladder: Ladder,
    /// All versions that play or have played since the server started.
    pub(super) versions: BTreeMap<i64, Known>,
    /// The number of the next match.
    pub(super) next: u64,
    /// The secret from which the seeds of matches and the names in them come.
    secret: [u8; 32],
    /// Matches from before the start that have no result.
    pub(super) left: Vec<SeatedMatch>,
    /// Time that the arena's matches took, in microseconds, with that of those being played.
    pub(super) charged: u64,
    /// Until when nothing is planned here, after matches that could not be played.
    pub(super) rests_until: Option<Instant>,
    /// Matches in a row that could not be played.
    pub(super) given_up: u32,
    /// When the next match may be planned, while all bots are well known.
    paced: Option<Instant>,
    /// What is played, if this is a final.
    pub(super) plan: Option<Plan>,
}

/// What is played in a final.
#[derive(Debug)]
pub(super) struct Plan {
    /// The versions, in the order in which the matches name them.
    versions: Vec<VersionId>,
    matches: Vec<FinalMatch>,
    /// The numbers of matches that could not be played, in order of the log.
    pub(super) given_up: Vec<u64>,
}

impl Plan {
    /// Reads the plan of a final.
    async fn read(shared: &Shared, arena: &ArenaHandle) -> Stored<Option<Plan>> {
        let Some(of) = arena.settings().final_of else { return Ok(None) };
        let damaged = || DatabaseError::Engine("the draw of a final is damaged".to_owned());
        let drawn = shared.store.final_draw(of.season).await?.ok_or_else(damaged)?;
        let draw = drawn.draw.ok_or_else(damaged)?;
        let seed = draw.seed().map_err(|_| damaged())?;
        let matches = draw.inputs.matches(seed).map_err(|_| damaged())?;
        let versions = drawn.versions.iter().copied().map(version_id).collect();
        let given_up = shared.store.given_up(arena.id()).await?;
        Ok(Some(Plan { versions, matches, given_up }))
    }

    /// Returns seed and players of the match with a number.
    fn planned(&self, number: u64) -> Option<(u64, Vec<VersionId>)> {
        let place = usize::try_from(number.checked_sub(1)?).ok()?;
        let place = planned_place(place, self.matches.len(), &self.given_up)?;
        let FinalMatch { seed, seats } = &self.matches[place];
        Some((*seed, seats.iter().map(|&seat| self.versions[seat]).collect()))
    }
}

/// What the runner knows of a version.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) bot: i64,
    /// Whether its author was erased.
    pub(super) is_erased: bool,
    pub(super) code: Code,
    /// Its name for people: "fox v3".
    pub(super) name: String,
    /// Its name for the server, and in matches where bots learn whom they meet: that of a built-in
    /// bot, or the version's id. People may be erased.
    pub(super) seat: String,
    pub(super) play: PlayState,
    pub(super) health: Health,
}

/// What the database says of an arena that has changed.
#[derive(Debug)]
pub(crate) enum FieldNews {
    /// All of it.
    New(Box<Field>),
    /// The bots, and the versions that are or were ready.
    Changed(Vec<Bot>, Vec<Version>),
}

impl FieldNews {
    /// Reads all of an arena, or what may have changed since it was read.
    pub(super) async fn read(
        shared: &Shared,
        arena: &ArenaHandle,
        is_known: bool,
    ) -> Stored<FieldNews> {
        let bots = shared.store.bots(arena.id()).await?;
        let versions = shared.store.ready_versions(arena.id()).await?;
        Ok(match is_known {
            true => FieldNews::Changed(bots, versions),
            false => {
                FieldNews::New(Box::new(Field::read(shared, arena.clone(), bots, versions).await?))
            }
        })
    }
}

impl Field {
    /// Reads the field of an arena.
    async fn read(
        shared: &Shared,
        arena: ArenaHandle,
        bots: Vec<Bot>,
        versions: Vec<Version>,
    ) -> Stored<Field> {
        let settings = arena.settings().clone();
        let secret = blake3::derive_key("agon-server seeds of matches", &shared.secret);
        let secret = *blake3::keyed_hash(&secret, &arena.id().to_le_bytes()).as_bytes();
        let seed = Seed(first_number(&secret));
        let mut field = Field {
            ladder: Ladder::new(settings.players, seed),
            versions: BTreeMap::new(),
            next: shared.store.last_match(arena.id()).await? + 1,
            secret,
            left: shared.store.planned_matches(arena.id()).await?,
            charged: 0,
            rests_until: None,
            given_up: 0,
            paced: None,
            plan: Plan::read(shared, &arena).await?,
            settings,
            arena,
        };
        field.refresh(&bots, versions);
        field.plan_left();
        Ok(field)
    }

    /// Plans the matches from before the start again. Versions that do not play any more take part
    /// in them all the same: their results count.
    fn plan_left(&mut self) {
        let left: Vec<Vec<VersionId>> = self.left.iter().map(players).collect();
        let mut absent: Vec<VersionId> = left.iter().flatten().copied().collect();
        absent.retain(|&id| self.ladder.get(id).is_none());
        absent.sort_unstable();
        absent.dedup();
        for &id in &absent {
            if let Some(known) = self.versions.get(&id_of(id)) {
                let owner = known.bot.cast_unsigned();
                self.ladder.enter(entrant(id_of(id), owner, &known.play));
            }
        }
        left.iter().for_each(|players| self.ladder.begun(players));
        absent.into_iter().for_each(|id| drop(self.ladder.leave(id)));
    }

    /// Follows changes of the arena's settings and bots.
    pub(super) fn refresh(&mut self, bots: &[Bot], versions: Vec<Version>) {
        self.settings = self.arena.settings().clone();
        let playing: BTreeMap<i64, &Bot> = bots
            .iter()
            // A final is played by all that were drawn.
            .filter(|bot| bot.stopped.is_none() || self.plan.is_some())
            .filter_map(|bot| Some((bot.active?, bot)))
            .collect();
        let here: Vec<i64> = self.ladder.entrants().map(|entrant| id_of(entrant.id)).collect();
        for id in here.into_iter().filter(|id| !playing.contains_key(id)) {
            self.ladder.leave(version_id(id));
        }
        // Also those that do not play any more: matches of them may be left.
        let by_bot: BTreeMap<i64, &Bot> = bots.iter().map(|bot| (bot.id, bot)).collect();
        for version in versions {
            let Some(bot) = by_bot.get(&version.bot) else { continue };
            let name = match version.source {
                Some(_) => format!("{} v{}", bot.name, version.number),
                None => bot.name.clone(),
            };
            match self.versions.get_mut(&version.id) {
                Some(known) => (known.name, known.is_erased) = (name, bot.is_erased()),
                None => {
                    let code = match version.built.filter(|_| version.source.is_some()) {
                        Some(digest) => Code::Files(BlobSeat {
                            digest,
                            build: None,
                            run: version.run,
                            runtime: None,
                        }),
                        None => Code::Boss(version.run),
                    };
                    let known = Known {
                        bot: bot.id,
                        is_erased: bot.is_erased(),
                        seat: match &code {
                            Code::Files(..) => version.id.to_string(),
                            Code::Boss(name) => name.clone(),
                        },
                        code,
                        name,
                        play: version.play,
                        health: Health::default(),
                    };
                    self.versions.insert(version.id, known);
                }
            }
        }
        for (&id, bot) in &playing {
            if self.ladder.get(version_id(id)).is_none()
                && let Some(known) = self.versions.get(&id)
            {
                let owner = bot.owner.unwrap_or(bot.id).cast_unsigned();
                self.ladder.enter(entrant(id, owner, &known.play));
            }
        }
    }

    /// Returns seed and players of the next match, if one should be planned now; then it is
    /// counted as planned.
    pub(super) fn plan_next(&mut self, pace: u32) -> Option<(u64, Vec<VersionId>)> {
        let number = self.next;
        let planned = if let Some(plan) = &self.plan {
            plan.planned(number)?
        } else if self.takes_another(pace) {
            (self.seed(number), self.ladder.next(number)?)
        } else {
            return None;
        };
        self.next += 1;
        self.ladder.begun(&planned.1);
        Some(planned)
    }

    /// Returns whether another match should be planned now; if so, it is counted as planned.
    ///
    /// Once all bots are well known, more matches change little: then there are at most `pace` a
    /// minute. Bosses alone play only until they have a rating. A pace of 0 means no limit.
    fn takes_another(&mut self, pace: u32) -> bool {
        if pace == 0 {
            return true;
        }
        let is_known = |entrant: &Entrant| {
            let budget = WELL_KNOWN_US / entrant.mean_us.max(1);
            entrant.matches >= budget.clamp(BOSS_MATCHES, WELL_KNOWN)
        };
        let has_authors = self.ladder.entrants().any(|entrant| {
            let known = self.versions.get(&id_of(entrant.id));
            known.is_some_and(|known| matches!(known.code, Code::Files(..)))
        });
        let have_played = || self.ladder.entrants().all(|entrant| entrant.matches >= BOSS_MATCHES);
        if !has_authors && self.ladder.entrants().next().is_some() && have_played() {
            return false;
        }
        if !self.ladder.entrants().all(is_known) {
            return true;
        }
        let now = Instant::now();
        if self.paced.is_some_and(|next| now < next) {
            return false;
        }
        self.paced = Some(now + Duration::from_secs(60) / pace);
        true
    }

    /// Returns the seed of a match. Nobody can know it before the match is planned.
    fn seed(&self, number: u64) -> u64 {
        first_number(blake3::keyed_hash(&self.secret, &number.to_le_bytes()).as_bytes())
    }

    /// Returns the name that bots and the replay of a match get for a version.
    ///
    /// Unless the arena says otherwise, it tells nothing: bots would treat their author's friends
    /// in another way than others. Pages and the API know who played.
    pub(super) fn name(&self, number: u64, seat: usize, known: &Known) -> String {
        if self.settings.named {
            return known.seat.clone();
        }
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        // Numbers of matches alone make their seeds.
        hasher.update(b"name").update(&number.to_le_bytes()).update(&[seat as u8]);
        let hash = hasher.finalize().to_hex();
        format!("bot-{}", &hash[..12])
    }

    /// Returns whether matches are planned at this time.
    pub(super) fn is_playing(&self, now: i64) -> bool {
        self.settings.season.is_playing(now)
            && self.settings.outdated().is_none()
            && self.rests_until.is_none_or(|until| until <= Instant::now())
    }
}

/// A number that JavaScript can read: 53 bits.
fn first_number(bytes: &[u8; 32]) -> u64 {
    let first: [u8; 8] = bytes[..8].try_into().expect("there are 32 bytes");
    u64::from_le_bytes(first) >> 11
}

fn entrant(id: i64, owner: u64, play: &PlayState) -> Entrant {
    Entrant {
        id: version_id(id),
        owner,
        skill: Skill { mu: play.mu, sigma: play.sigma },
        matches: play.matches,
        pass: play.pass,
        mean_us: play.mean_us,
        seats: play.seats.clone(),
    }
}

/// How many bots are kept open. Each may take a few files and megabytes.
const KEPT: usize = 400;

/// What a version plays.
#[derive(Clone, Debug)]
pub(super) enum Code {
    /// Files of an author: the built ones.
    Files(BlobSeat),
    /// A built-in bot.
    Boss(String),
}

/// Opened bots by version.
#[derive(Debug, Default)]
pub(super) struct Entries {
    open: BTreeMap<i64, (u64, Arc<BotEntry>)>,
    uses: u64,
}

impl Entries {
    /// Forgets opened bots, with the copies of their files.
    pub(super) fn forget(&mut self, versions: &[i64]) {
        versions.iter().for_each(|version| drop(self.open.remove(version)));
    }

    /// Returns the opened bot of a version under a name.
    pub(super) fn get(
        &mut self,
        shared: &Shared,
        arena: &ArenaSettings,
        version: i64,
        code: &Code,
        name: &str,
    ) -> Result<Arc<BotEntry>> {
        self.uses += 1;
        if let Some((used, entry)) = self.open.get_mut(&version) {
            *used = self.uses;
            if entry.info.name != name {
                *entry = Arc::new(entry.named(name));
            }
            return Ok(Arc::clone(entry));
        }
        let entry = Arc::new(open(shared, arena, code)?.named(name));
        if self.open.len() >= KEPT
            && let Some((&oldest, _)) = self.open.iter().min_by_key(|(_, (used, _))| *used)
        {
            self.open.remove(&oldest);
        }
        self.open.insert(version, (self.uses, Arc::clone(&entry)));
        Ok(entry)
    }
}

fn open(shared: &Shared, arena: &ArenaSettings, code: &Code) -> Result<BotEntry> {
    match code {
        Code::Files(seat) => {
            let host = host_options(&arena.matches, &shared.workshop.machine);
            Ok(unpacked("the bot", seat, &shared.blobs, &host)?)
        }
        Code::Boss(name) => {
            let spec: Option<BotSpec> = format!("builtin:{name}").parse().ok();
            let spec = spec.with_context(|| format!("there is no built-in bot `{name}`"))?;
            Ok(BotEntry::of(spec)?.in_game(arena.game))
        }
    }
}
