//! [`FileKind`]: a game from a file as a [`GameKind`].

use std::sync::{Arc, OnceLock};
use std::{fmt, time::Duration};

use agon_core::{Game, Meta, ParamError, Params, Seed, SetupError, error::Problems};
use schemars::Schema;
use serde::de::Error as _;
use serde_json::{Map, Value};

use super::module::{Lack, Terms};
use super::state::{Answer, FileGame, FileSettings};
use super::{Archive, Caller, Manifest, Module};
use crate::any::{
    AnyAnswers, AnyGame, AnyPolicy, BuiltinInfo, GameKind, PositionError, SeriesInfo, Trials,
    kind_of,
};
use crate::batch::Header;
use crate::kit::Kit;
use crate::presets::{self, Preset};
use crate::scene::{Colors, LegendEntry};
use crate::settings::{SettingError, value_of};

/// A game from a file.
pub struct FileKind {
    pub(super) module: Module,
    meta: Meta,
    presets: Vec<Preset>,
    /// The archive, compressed.
    packed: Vec<u8>,
    /// This game itself, which lives as long as the program.
    own: OnceLock<&'static FileKind>,
}

/// What all games from files share.
fn shared() -> &'static dyn GameKind {
    kind_of::<Kit<FileGame>>()
}

fn leak(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

impl FileKind {
    /// Makes a game of its files, of the same compressed, and of calls of its module. It lives as
    /// long as the program.
    ///
    /// # Errors
    /// Names the part that does not fit.
    pub fn new(
        archive: &Archive,
        packed: Vec<u8>,
        manifest: Manifest,
        caller: Box<dyn Caller>,
    ) -> Result<&'static FileKind, String> {
        let module = Module::new(manifest, caller)?;
        let Manifest { name, summary, players: [least, most], turn, presets, .. } =
            &module.manifest;
        let meta = Meta {
            id: leak(&format!("{name}@{}", archive.digest())),
            rules_version: 1,
            min_players: *least,
            max_players: *most,
            turn_name: leak(turn),
            summary: leak(summary),
            page: leak(&archive.page),
        };
        let own = presets.iter().map(|preset| {
            let set = preset.set.iter().map(|(key, value)| match value {
                Value::String(word) => leak(&format!("{key}={word}")),
                other => leak(&format!("{key}={other}")),
            });
            Preset {
                name: leak(&preset.name),
                summary: leak(&preset.summary),
                settings: set.collect::<Vec<_>>().leak(),
            }
        });
        let presets = presets::with_usual(own.collect(), &[]);
        let own = OnceLock::new();
        let kind: &FileKind = Box::leak(Box::new(FileKind { module, meta, presets, packed, own }));
        kind.own.get_or_init(|| kind);
        Ok(kind)
    }

    fn forever(&self) -> &'static FileKind {
        self.own.get().expect("it was set when the game was made")
    }

    fn rules(&self, rules: &Value) -> Result<Map<String, Value>, String> {
        self.module.manifest.full(rules.as_object().ok_or("settings are an object")?)
    }

    fn terms(&self, rules: &Value, seed: Seed) -> Result<Arc<Terms>, SetupError> {
        let rules = self.rules(rules).map_err(|error| SetupError::new("settings", error))?;
        Ok(Arc::new(self.module.terms(rules, seed)))
    }

    fn game(&'static self, terms: &Terms, state: FileGame) -> AnyGame {
        let settings = FileSettings { rules: terms.rules.clone(), kind: Some(self) };
        AnyGame::of(Kit::with(&settings, terms.seed, state))
    }

    fn load(
        &self,
        rules: &Value,
        seed: Seed,
        position: &[u8],
        is_json: bool,
    ) -> Result<AnyGame, PositionError> {
        let kind = self.forever();
        let terms = kind.terms(rules, seed)?;
        let state = FileGame::load(kind, terms.clone(), position, is_json);
        match state {
            Ok(state) => Ok(kind.game(&terms, state)),
            Err(lack) => Err(PositionError::Unfit(SetupError::new("position", lack.text()))),
        }
    }
}

impl fmt::Debug for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.meta.id)
    }
}

/// Methods that all games from files share.
macro_rules! shared_methods {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(
            fn $name(&self, $($argument: $type),*) -> $result {
                shared().$name($($argument),*)
            }
        )*
    };
}

impl GameKind for FileKind {
    shared_methods! {
        fn no_answers() -> AnyAnswers;
        fn trials() -> Trials;
        fn builtins() -> Vec<BuiltinInfo>;
        fn lineup() -> &'static [&'static str];
        fn policy(name: &str, params: &Params) -> Result<Box<dyn AnyPolicy>, ParamError>;
        fn lists_legal() -> bool;
        fn has_own_form() -> bool;
        fn fuel() -> u64;
        fn colors() -> Colors;
        fn legend() -> &'static [LegendEntry];
        fn series() -> Vec<SeriesInfo>;
    }

    fn meta(&self) -> Meta {
        self.meta
    }

    fn packed(&self) -> Option<&[u8]> {
        Some(&self.packed)
    }

    fn is_proven(&self) -> bool {
        self.module.manifest.program.is_none()
    }

    fn default_rules(&self) -> Value {
        Value::Object(self.module.manifest.defaults())
    }

    fn full_rules(&self, rules: &Value) -> serde_json::Result<Value> {
        self.rules(rules).map(Value::Object).map_err(serde_json::Error::custom)
    }

    fn read_rules(&self, text: &str) -> serde_json::Result<Value> {
        self.full_rules(&serde_json::from_str(text)?)
    }

    fn set_rule(&self, rules: &mut Value, key: &str, value: Value) -> Result<(), SettingError> {
        let mut full = self.rules(rules).map_err(SettingError)?;
        self.module.manifest.set(&mut full, key, value)?;
        *rules = Value::Object(full);
        Ok(())
    }

    fn changed_rules(&self, sets: &[&str]) -> Result<Value, SettingError> {
        let mut rules = self.default_rules();
        for set in sets {
            let (key, value) = set.split_once('=').unwrap_or((set, ""));
            self.set_rule(&mut rules, key, value_of(value))?;
        }
        Ok(rules)
    }

    fn preset_rules(&self, name: &str) -> Result<Value, SettingError> {
        self.changed_rules(presets::settings(&self.presets, name, self.meta.id)?)
    }

    fn rules_schema(&self) -> Schema {
        self.module.manifest.schema().try_into().expect("a schema is an object")
    }

    fn presets(&self) -> Vec<Preset> {
        self.presets.clone()
    }

    fn start(&self, rules: &Value, players: usize, seed: Seed) -> Result<AnyGame, SetupError> {
        let kind = self.forever();
        let mut problems = Problems::new();
        problems.range("players", players, self.meta.min_players..=self.meta.max_players);
        problems.finish()?;
        let terms = kind.terms(rules, seed)?;
        let state = FileGame::begin(kind, terms.clone(), players);
        match state {
            Ok(state) => Ok(kind.game(&terms, state)),
            Err(Lack::Refused(text)) => Err(SetupError::new("settings", text)),
            Err(Lack::Failed(text)) => Err(SetupError::new("rules", text)),
        }
    }

    fn play_ahead(&self, game: &mut AnyGame, steps: &mut [AnyAnswers]) -> Option<Vec<u64>> {
        let before = game.of_game::<Kit<FileGame>>();
        let number = |answer: &Answer| before.state().number(answer);
        let numbers: Vec<Vec<u32>> = steps
            .iter_mut()
            .map(|step| step.as_mut().of_game::<Kit<FileGame>>().iter().map(number).collect())
            .collect();
        let (hashes, last) = before.state().steps(&numbers).ok()?;
        *game = AnyGame::of(Kit::with(before.rules(), before.seed(), last));
        Some(hashes)
    }

    fn start_from_json(
        &self,
        rules: &Value,
        seed: Seed,
        position: &str,
    ) -> Result<AnyGame, PositionError> {
        let unreadable = |error: String| PositionError::Unreadable(error);
        let about = self.module.about().map_err(|lack| unreadable(lack.text()))?;
        match &about.position {
            Some(record) => {
                let value = serde_json::from_str(position);
                let value: Value = value.map_err(|error| unreadable(error.to_string()))?;
                let bytes = record.bytes_of(&value).map_err(unreadable)?;
                self.load(rules, seed, &bytes, false)
            }
            None => self.load(rules, seed, position.as_bytes(), true),
        }
    }

    fn start_from_bytes(
        &self,
        rules: &Value,
        seed: Seed,
        position: &[u8],
    ) -> Result<AnyGame, PositionError> {
        self.load(rules, seed, position, false)
    }

    fn answer_times(&self) -> (Duration, Duration) {
        let Manifest { first_answer_ms, answer_ms, .. } = self.module.manifest;
        (Duration::from_millis(first_answer_ms), Duration::from_millis(answer_ms))
    }

    fn message_schema(&self) -> Value {
        let mut schema = shared().message_schema();
        let about = self.module.about().ok();
        let view = about.and_then(|about| {
            about.view.as_ref().map(|record| record.schema()).or(about.view_schema.clone())
        });
        schema["title"] =
            format!("{}: the messages of the JSON Lines protocol", self.meta.name()).into();
        schema["$defs"]["Observation"]["properties"]["view"] = view.unwrap_or(true.into());
        schema["$defs"]["FileSettings"] = self.module.manifest.schema();
        schema
    }

    fn conversation(&self) -> [(&'static str, String); 2] {
        let players = 2.clamp(self.meta.min_players, self.meta.max_players);
        let game = self.start(&self.default_rules(), players, Seed(3));
        let game = game.expect("a game plays with its defaults");
        crate::jsonl::conversation::of(game.of_game::<Kit<FileGame>>().clone())
    }

    fn header(&self) -> Header {
        Header { game: self.meta.name(), ..shared().header() }
    }
}
