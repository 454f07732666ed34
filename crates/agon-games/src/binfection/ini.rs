//! `settings.ini`: a section `[GENERAL]` with lines `KEY: value` or `KEY = value`.
//!
//! Read line by line here and not by a library, because an author wants to know the line of a mistake.

use std::str::FromStr;

use agon_core::{Problem, SetupError, did_you_mean};

use super::Rules;

const SECTION: &str = "general";

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

impl Rules {
    /// Reads a `settings.ini`; what it does not name keeps its default.
    ///
    /// Keys and the section may be in any case; `;` and `#` start comments. Ranges are checked when a match is
    /// set up.
    ///
    /// # Errors
    /// Names every line that is no setting, names an unknown one, or sets one twice.
    pub fn from_ini(text: &str) -> Result<Rules, SetupError> {
        let mut rules = Rules::default();
        let mut reader = Reader { rules: &mut rules, in_section: false, set: Vec::new() };
        let mut problems = Vec::new();
        for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if let Err(reason) = reader.line(line) {
                problems.push(Problem { what: format!("line {}", i + 1), reason });
            }
        }
        SetupError::check(problems)?;
        Ok(rules)
    }
}

struct Reader<'a> {
    rules: &'a mut Rules,
    in_section: bool,
    set: Vec<String>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let line = line.split([';', '#']).next().unwrap_or_default().trim();
        if line.is_empty() {
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix('[') {
            return self.section(rest);
        }
        let (key, value) = line
            .split_once([':', '='])
            .ok_or_else(|| format!("`{line}` is neither `KEY: value` nor `[GENERAL]`"))?;
        let key = key.trim().to_lowercase();
        if !self.in_section {
            return Err(format!("`{key}` stands before any section: put [GENERAL] above it"));
        }
        if self.set.contains(&key) {
            return Err(format!("`{key}` is set a second time"));
        }
        set(self.rules, &key, value.trim())?;
        self.set.push(key);
        Ok(())
    }

    fn section(&mut self, rest: &str) -> Result<(), String> {
        let name = rest.strip_suffix(']').ok_or_else(|| format!("`[{rest}` lacks its `]`"))?.trim();
        // What follows an unknown section is told apart from what stands before any.
        self.in_section = true;
        if name.eq_ignore_ascii_case(SECTION) {
            return Ok(());
        }
        Err(format!("there is no section [{name}]; all settings are in [GENERAL]"))
    }
}

fn set(rules: &mut Rules, key: &str, value: &str) -> Result<(), String> {
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
        _ => Err(match did_you_mean(key, KEYS) {
            Some(known) => format!("there is no setting `{key}`; did you mean `{known}`?"),
            None => format!("there is no setting `{key}` (there are: {})", KEYS.join(", ")),
        }),
    }
}

fn put<T: FromStr>(place: &mut T, key: &str, value: &str) -> Result<(), String> {
    *place = value.parse().map_err(|_| format!("{key}: `{value}` is not a number that fits"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Rules::from_ini(text).unwrap_err().to_string()
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
        assert_eq!(Rules::from_ini(text), Ok(expect));
    }

    #[test]
    fn case_equals_signs_comments_and_line_ends_do_not_matter() {
        let text = "\u{feff}; mine\r\n[General]\r\n  turns_limit = -1 # none\r\nField_Width=7\r\n";
        let expect = Rules { turns_limit: -1, field_width: 7, ..Rules::default() };
        assert_eq!(Rules::from_ini(text), Ok(expect));
        assert_eq!(Rules::from_ini(""), Ok(Rules::default()));
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        assert_eq!(
            error("[GENERAL]\nFIELD_WITH: 7\nFIELD_HEIGHT: tall\n"),
            "line 2: there is no setting `field_with`; did you mean `field_width`?; \
             line 3: field_height: `tall` is not a number that fits"
        );
        assert_eq!(error("[GENERAL]\nxyz=1").split(" (").next(), Some("line 2: there is no setting `xyz`"));
        assert_eq!(
            error("FIELD_WIDTH: 7"),
            "line 1: `field_width` stands before any section: put [GENERAL] above it"
        );
        assert_eq!(error("[GENERAL"), "line 1: `[GENERAL` lacks its `]`");
        assert_eq!(error("[game]"), "line 1: there is no section [game]; all settings are in [GENERAL]");
        assert_eq!(error("[GENERAL]\nhello"), "line 2: `hello` is neither `KEY: value` nor `[GENERAL]`");
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
        let mut names: Vec<String> =
            serde_json::to_value(Rules::default()).unwrap().as_object().unwrap().keys().cloned().collect();
        let mut keys = KEYS.map(str::to_owned).to_vec();
        names.sort();
        keys.sort();
        assert_eq!(names, keys);
        for key in KEYS {
            let rules = Rules::from_ini(&format!("[GENERAL]\n{key}: 77")).unwrap();
            assert_eq!(serde_json::to_value(rules).unwrap()[key], 77);
        }
    }
}
