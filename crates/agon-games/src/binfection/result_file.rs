//! Reads and writes the result file of the original game, `games/<game id>.res`: a list of
//! snapshots of the field. The classic command line and `agon replay export --res` write it.

use agon_core::{Player, SetupError};
use serde::{Deserialize, Serialize};

use super::Cell;

/// The snapshots of a match: spawn, then after the moves and after the growth of every turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultFile {
    /// All snapshots, in order of time.
    pub snapshots: Vec<Vec<Entry>>,
}

/// An occupied cell of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The name of the bot whose units they are; `None` where there are no units.
    pub owner: Option<String>,
    /// Number of units.
    pub units: u64,
    /// Column, from 0 at the left.
    pub x: u32,
    /// Row, from 0 at the top.
    pub y: u32,
}

impl ResultFile {
    /// A file without snapshots.
    pub fn new() -> ResultFile {
        ResultFile::default()
    }

    /// Appends a snapshot: the cells of a new game, and then [`Phases`](super::Phases) `moved` and
    /// `grown` of each turn.
    ///
    /// # Panics
    /// If an owner has no name.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>, names: &[String]) {
        let name = |player: Player| names[player.index()].clone();
        let entry = |cell: Cell| Entry {
            owner: cell.owner.map(name),
            units: cell.units,
            x: cell.x,
            y: cell.y,
        };
        self.snapshots.push(cells.into_iter().map(entry).collect());
    }

    /// The moment that a snapshot shows: "spawn", "turn 1", "grow 1", "turn 2", …
    pub fn phase(snapshot: usize) -> String {
        match (snapshot.div_ceil(2), snapshot % 2) {
            (0, _) => "spawn".to_owned(),
            (turn, 1) => format!("turn {turn}"),
            (turn, _) => format!("grow {turn}"),
        }
    }

    /// The file's text, a snapshot a line.
    pub fn to_json(&self) -> String {
        let line = |snapshot| {
            serde_json::to_string(snapshot).expect("names and numbers can always be written")
        };
        let lines: Vec<String> = self.snapshots.iter().map(line).collect();
        format!("[{}]\n", lines.join(",\n"))
    }

    /// Reads a file of Agon or of another program.
    ///
    /// # Errors
    /// If it is no list of lists of cells (with line and column), if a snapshot names a cell twice,
    /// if units have no owner, or if an owner has no units.
    pub fn from_json(bytes: &[u8]) -> Result<ResultFile, SetupError> {
        let snapshots: Vec<Vec<Entry>> = serde_json::from_slice(bytes).map_err(|error| {
            SetupError::new("this is no list of lists of cells", error.to_string())
        })?;
        for (i, snapshot) in snapshots.iter().enumerate() {
            check(snapshot).map_err(|(x, y, reason)| {
                let phase = ResultFile::phase(i);
                SetupError::new(format!("snapshot {i} ({phase}), cell ({x}, {y})"), reason)
            })?;
        }
        Ok(ResultFile { snapshots })
    }
}

fn check(snapshot: &[Entry]) -> Result<(), (u32, u32, &'static str)> {
    for entry in snapshot {
        match (&entry.owner, entry.units) {
            (None, 1..) => return Err((entry.x, entry.y, "its units have no owner")),
            (Some(_), 0) => return Err((entry.x, entry.y, "it has an owner but no units")),
            _ => {}
        }
    }
    let mut places: Vec<(u32, u32)> = snapshot.iter().map(|entry| (entry.x, entry.y)).collect();
    places.sort_unstable();
    match places.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err((pair[0].0, pair[0].1, "it is listed twice")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        ResultFile::from_json(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn files_read_back() {
        let names = ["alice".to_owned(), "bob".to_owned()];
        let cell = |x, owner, units| Cell { x, y: 1, owner: Some(Player(owner)), units };
        let mut file = ResultFile::new();
        file.push([cell(0, 0, 5), cell(3, 1, 5)], &names);
        file.push([], &names);
        let text = file.to_json();
        let expect =
            r#"[[{"owner":"alice","units":5,"x":0,"y":1},{"owner":"bob","units":5,"x":3,"y":1}],"#;
        assert_eq!(text, format!("{expect}\n[]]\n"));
        assert_eq!(ResultFile::from_json(text.as_bytes()).unwrap(), file);
        assert_eq!(ResultFile::from_json(b"[]").unwrap(), ResultFile::new());
    }

    #[test]
    fn snapshots_alternate() {
        let phases: Vec<_> = (0..5).map(ResultFile::phase).collect();
        assert_eq!(phases, ["spawn", "turn 1", "grow 1", "turn 2", "grow 2"]);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let a = r#"{"owner": "a", "units": 1, "x": 2, "y": 0}"#;
        assert_eq!(
            error(&format!("[[{a}], [{a}, {a}]]")),
            "snapshot 1 (turn 1), cell (2, 0): it is listed twice"
        );
        let nobody = r#"[[{"owner": null, "units": 1, "x": 2, "y": 0}]]"#;
        assert_eq!(error(nobody), "snapshot 0 (spawn), cell (2, 0): its units have no owner");
        let none = r#"[[{"owner": "a", "units": 0, "x": 2, "y": 0}]]"#;
        assert_eq!(error(none), "snapshot 0 (spawn), cell (2, 0): it has an owner but no units");
        let text = error("[[{\"owner\": \"a\",\n\"x\": 2, \"y\": 0}]]");
        assert!(text.contains("missing field `units`") && text.contains("line 2"), "{text}");
        assert!(error("{}").starts_with("this is no list of lists of cells"));
    }
}
