//! Reads `settings.ini`, the settings file of the original game, for its classic command line: a
//! section `[GENERAL]` with lines `KEY: value` or `KEY = value`.
//!
//! No library reads it, because errors must name the line of a mistake.

use std::collections::{BTreeMap, btree_map};
use std::str::FromStr;

use agon_core::{Problem, SetupError, did_you_mean};

use super::Rules;

const SECTION: &str = "general";

/// The section whose settings hold where [`SECTION`] sets nothing, as in Python's `configparser`.
const DEFAULTS: &str = "default";

const KEYS: [&str; 9] = [
    "turns_limit",
    "field_width",
    "field_height",
    "spawn_border_gap",
    "spawns_distance",
    "spawns_number",
    "warriors_init_number",
    "warriors_limit",
    "grow_coefficient",
];

/// The folder for result files, and the one in which runners are looked for.
const FOLDERS: [&str; 2] = ["games_dir", "runners_dir"];

/// Keys of the classic program that have no effect here.
const IGNORED: [&str; 4] = ["base_dir", "test_dir", "local_ini_file", "players_number"];

/// What a `settings.ini` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IniFile {
    /// The settings of the match.
    pub rules: Rules,
    /// The folder for result files (`GAMES_DIR`), if it is named.
    pub games_dir: Option<String>,
    /// The folder in which runners are looked for (`RUNNERS_DIR`), if it is named.
    pub runners_dir: Option<String>,
    /// Notices for the author, each with its line, such as ignored keys.
    pub notices: Vec<String>,
}

impl IniFile {
    /// Reads a `settings.ini`. Settings that it does not name keep their defaults.
    ///
    /// Keys and sections may be in any case; `;` and `#` start comments. Ranges are checked when a
    /// match is set up.
    ///
    /// # Errors
    /// Names every line that is no setting, names an unknown one, or sets one twice.
    pub fn parse(text: &str) -> Result<IniFile, SetupError> {
        let mut lines = Lines::default();
        let mut problems = Vec::new();
        for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if let Err(reason) = lines.read(i + 1, line) {
                problems.push(problem(i + 1, reason));
            }
        }
        let file = lines.apply(&mut problems);
        problems.sort_by_key(|problem| problem.0);
        SetupError::check(problems.into_iter().map(|(_, problem)| problem).collect())?;
        Ok(file)
    }
}

fn problem(line: usize, reason: String) -> (usize, Problem) {
    (line, Problem { what: format!("line {line}"), reason })
}

/// The section that a line belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    None,
    General,
    Defaults,
    /// Any other section, which is ignored.
    Other,
}

/// The settings of a section: line and value by key.
type Entries<'a> = BTreeMap<String, (usize, &'a str)>;

/// The lines of a file, by section.
#[derive(Default)]
struct Lines<'a> {
    section: Section,
    /// The line of `[DEFAULT]`.
    defaults_at: Option<usize>,
    has_general: bool,
    general: Entries<'a>,
    defaults: Entries<'a>,
    notices: Vec<(usize, String)>,
}

impl<'a> Lines<'a> {
    fn read(&mut self, number: usize, line: &'a str) -> Result<(), String> {
        let line = without_comment(line);
        if line.is_empty() {
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix('[') {
            return self.enter(number, rest);
        }
        if self.section == Section::Other {
            return Ok(());
        }
        let (key, value) = line
            .split_once([':', '='])
            .ok_or_else(|| format!("`{line}` is neither `KEY: value` nor `[GENERAL]`"))?;
        let key = key.trim().to_lowercase();
        let value = value.trim();
        let entries = match self.section {
            Section::General => &mut self.general,
            Section::Defaults => &mut self.defaults,
            Section::None | Section::Other => {
                return Err(format!("`{key}` stands before any section: put [GENERAL] above it"));
            }
        };
        match entries.entry(key) {
            btree_map::Entry::Occupied(entry) => {
                Err(format!("`{}` is set a second time", entry.key()))
            }
            btree_map::Entry::Vacant(entry) => {
                entry.insert((number, value));
                Ok(())
            }
        }
    }

    fn enter(&mut self, number: usize, rest: &str) -> Result<(), String> {
        let name = rest.strip_suffix(']').ok_or_else(|| format!("`[{rest}` lacks its `]`"));
        // Also for a wrong header, so that the lines after it are not reported as standing before
        // any section.
        self.section = Section::Other;
        let name = name?.trim();
        if name.eq_ignore_ascii_case(SECTION) {
            self.section = Section::General;
            self.has_general = true;
        } else if name.eq_ignore_ascii_case(DEFAULTS) {
            self.section = Section::Defaults;
            self.defaults_at.get_or_insert(number);
        } else {
            let notice = format!(
                "the section [{}] is ignored; settings are in [GENERAL]",
                name.escape_debug()
            );
            self.notices.push((number, notice));
        }
        Ok(())
    }

    /// Makes the settings of all lines.
    fn apply(mut self, problems: &mut Vec<(usize, Problem)>) -> IniFile {
        if let Some(line) = self.defaults_at {
            let notice = if self.has_general {
                "[DEFAULT] holds only for settings that [GENERAL] does not name"
            } else {
                self.defaults.clear();
                "[DEFAULT] is ignored where there is no section [GENERAL]"
            };
            self.notices.push((line, notice.to_owned()));
        }
        let mut entries = self.defaults;
        entries.extend(self.general);
        let mut file = IniFile::default();
        for (key, (line, value)) in entries {
            match set(&mut file, &key, value) {
                Ok(None) => {}
                Ok(Some(notice)) => self.notices.push((line, notice)),
                Err(reason) => problems.push(problem(line, reason)),
            }
        }
        self.notices.sort_by_key(|&(line, _)| line);
        file.notices =
            self.notices.into_iter().map(|(line, text)| format!("line {line}: {text}")).collect();
        file
    }
}

/// Removes the comment of a line. A comment starts the line or follows a space, because names of
/// folders may contain `#`.
fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (at, character) in line.char_indices() {
        if matches!(character, ';' | '#') && before.is_whitespace() {
            return line[..at].trim();
        }
        before = character;
    }
    line.trim()
}

/// Applies a key and its value; returns a notice for the author, if any.
fn set(file: &mut IniFile, key: &str, value: &str) -> Result<Option<String>, String> {
    let rules = &mut file.rules;
    match key {
        "turns_limit" => put(&mut rules.turns_limit, key, value),
        "field_width" => put(&mut rules.field_width, key, value),
        "field_height" => put(&mut rules.field_height, key, value),
        "spawn_border_gap" => put(&mut rules.spawn_border_gap, key, value),
        "spawns_distance" => put(&mut rules.spawns_distance, key, value),
        "spawns_number" => put(&mut rules.spawns_number, key, value),
        "warriors_init_number" => put(&mut rules.warriors_init_number, key, value),
        "warriors_limit" => put(&mut rules.warriors_limit, key, value),
        "grow_coefficient" => put(&mut rules.grow_coefficient, key, value),
        "games_dir" => {
            file.games_dir = Some(value.to_owned());
            Ok(Some(format!(
                "GAMES_DIR: the result file goes to the folder `{}`",
                value.escape_debug()
            )))
        }
        "runners_dir" => {
            file.runners_dir = Some(value.to_owned());
            Ok(Some(format!(
                "RUNNERS_DIR: runners without a folder are also looked for in `{}`",
                value.escape_debug()
            )))
        }
        _ if IGNORED.contains(&key) => Ok(Some(format!("{} is ignored", key.to_uppercase()))),
        _ => Err(match did_you_mean(key, KEYS.into_iter().chain(FOLDERS)) {
            Some(known) => format!("there is no setting `{key}`; did you mean `{known}`?"),
            None => format!("there is no setting `{key}` (there are: {})", KEYS.join(", ")),
        }),
    }
}

fn put<T: FromStr>(place: &mut T, key: &str, value: &str) -> Result<Option<String>, String> {
    // A number never contains a comment sign, so no space is needed before it.
    let number = value.split([';', '#']).next().unwrap_or_default().trim();
    *place = number.parse().map_err(|_| format!("{key}: `{value}` is not a number that fits"))?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        IniFile::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_usual_file_is_read() {
        let text = "[GENERAL]\nTURNS_LIMIT: 20\nWARRIORS_LIMIT: 9\nWARRIORS_INIT_NUMBER: 5\n\n\
                    FIELD_WIDTH: 7\nFIELD_HEIGHT: 7\n";
        let expect = Rules {
            turns_limit: 20,
            warriors_limit: 9,
            warriors_init_number: 5,
            field_width: 7,
            field_height: 7,
            ..Rules::default()
        };
        assert_eq!(IniFile::parse(text), Ok(IniFile { rules: expect, ..IniFile::default() }));
    }

    #[test]
    fn case_equals_signs_comments_and_line_ends_do_not_matter() {
        let text = "\u{feff}; mine\r\n[General]\r\n  turns_limit = -1 # none\r\nField_Width=7\r\n";
        let expect = Rules { turns_limit: -1, field_width: 7, ..Rules::default() };
        assert_eq!(IniFile::parse(text), Ok(IniFile { rules: expect, ..IniFile::default() }));
        assert_eq!(IniFile::parse(""), Ok(IniFile::default()));
        assert_eq!(
            IniFile::parse("[GENERAL]\nfield_width: 7;x").map(|file| file.rules.field_width),
            Ok(7)
        );
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        assert_eq!(
            error("[GENERAL]\nFIELD_WITH: 7\nFIELD_HEIGHT: tall\n"),
            "line 2: there is no setting `field_with`; did you mean `field_width`?; \
             line 3: field_height: `tall` is not a number that fits"
        );
        assert_eq!(
            error("[GENERAL]\nxyz=1").split(" (").next(),
            Some("line 2: there is no setting `xyz`")
        );
        assert_eq!(
            error("FIELD_WIDTH: 7"),
            "line 1: `field_width` stands before any section: put [GENERAL] above it"
        );
        assert_eq!(error("[GENERAL"), "line 1: `[GENERAL` lacks its `]`");
        assert_eq!(
            error("[GENERAL]\nhello"),
            "line 2: `hello` is neither `KEY: value` nor `[GENERAL]`"
        );
        assert_eq!(
            error("[GENERAL]\nfield_width: 7\nFIELD_WIDTH: 8"),
            "line 3: `field_width` is set a second time"
        );
        assert_eq!(
            error("[GENERAL]\nFIELD_WIDTH: 99999999999999999999"),
            "line 2: field_width: `99999999999999999999` is not a number that fits"
        );
    }

    #[test]
    fn every_setting_has_its_key() {
        let mut names: Vec<String> = serde_json::to_value(Rules::default())
            .unwrap()
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        let mut keys = KEYS.map(str::to_owned).to_vec();
        names.sort();
        keys.sort();
        assert_eq!(names, keys);
        for key in KEYS {
            let file = IniFile::parse(&format!("[GENERAL]\n{key}: 77")).unwrap();
            assert_eq!(serde_json::to_value(file.rules).unwrap()[key], 77);
        }
    }

    #[test]
    fn folders_of_the_classic_program_are_taken_and_told() {
        let file =
            IniFile::parse("[GENERAL]\nGAMES_DIR: out/#1 ; mine\nrunners_dir=bots\nTEST_DIR = x\n")
                .unwrap();
        assert_eq!(
            (file.games_dir.as_deref(), file.runners_dir.as_deref()),
            (Some("out/#1"), Some("bots"))
        );
        let notices = [
            "line 2: GAMES_DIR: the result file goes to the folder `out/#1`",
            "line 3: RUNNERS_DIR: runners without a folder are also looked for in `bots`",
            "line 4: TEST_DIR is ignored",
        ];
        assert_eq!(file.notices, notices);
        assert!(error("[GENERAL]\nGAME_DIR: x").contains("did you mean `games_dir`"));
    }

    #[test]
    fn other_sections_are_ignored_and_told() {
        let file =
            IniFile::parse("[OTHER]\nfield_with: 7\nhello\n[GENERAL]\nFIELD_WIDTH: 9\n[more]\n")
                .unwrap();
        assert_eq!(file.rules, Rules { field_width: 9, ..Rules::default() });
        let notices = [
            "line 1: the section [OTHER] is ignored; settings are in [GENERAL]",
            "line 6: the section [more] is ignored; settings are in [GENERAL]",
        ];
        assert_eq!(file.notices, notices);
    }

    #[test]
    fn defaults_hold_where_the_section_of_settings_sets_nothing() {
        let text = "[GENERAL]\nFIELD_WIDTH: 9\n[DEFAULT]\nFIELD_WIDTH: 7\nFIELD_HEIGHT: 8\n";
        let file = IniFile::parse(text).unwrap();
        assert_eq!(file.rules, Rules { field_width: 9, field_height: 8, ..Rules::default() });
        assert_eq!(
            file.notices,
            ["line 3: [DEFAULT] holds only for settings that [GENERAL] does not name"]
        );
        let alone = IniFile::parse("[default]\nFIELD_WIDTH: 7\n").unwrap();
        assert_eq!(alone.rules, Rules::default());
        assert_eq!(
            alone.notices,
            ["line 1: [DEFAULT] is ignored where there is no section [GENERAL]"]
        );
        assert!(
            error("[DEFAULT]\nfield_with: 7\n[GENERAL]\n")
                .starts_with("line 2: there is no setting")
        );
    }
}
