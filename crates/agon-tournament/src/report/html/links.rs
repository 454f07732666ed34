//! Links from the page to replays and files.

/// Paths from the page to replays and files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The folder of replays, as a path that ends with a slash; `None` if no path leads there.
    pub replays: Option<String>,
    /// The page of the viewer, and the folder of replays relative to it.
    pub viewer: Option<(String, String)>,
    /// Files beside the page with the same report for programs: names and paths.
    pub files: Vec<(String, String)>,
}

impl Links {
    /// Returns the address of a replay: in the viewer if there is one, which then opens at the
    /// step.
    pub fn replay(&self, name: &str, step: Option<u64>) -> Option<String> {
        match &self.viewer {
            Some((page, folder)) => {
                // The viewer decodes the parameter, and the result has to be an address.
                let address = format!("{folder}{}", encoded(name));
                let step = step.map_or_else(String::new, |step| format!("&step={step}"));
                Some(format!("{page}?replay={}{step}", encoded(&address)))
            }
            None => Some(format!("{}{}", path(self.replays.as_deref()?), encoded(name))),
        }
    }
}

/// Encodes a text for an address.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Encodes a path as an address; `:` in its first part would change the kind of address.
fn path(path: &str) -> String {
    path.split('/').map(encoded).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_replays_are_encoded() {
        let files = Links { replays: Some("my cup/replays/".into()), ..Links::default() };
        assert_eq!(
            files.replay("r0.g0.p1.m0.agon", Some(3)).unwrap(),
            "my%20cup/replays/r0.g0.p1.m0.agon"
        );
        assert_eq!(
            files.replay("javascript:1\"", None).unwrap(),
            "my%20cup/replays/javascript%3A1%22"
        );
        let viewer = Some(("viewer/index.html".into(), "../replays/".into()));
        let viewer = Links { viewer, ..files };
        assert_eq!(
            viewer.replay("a b.agon", None).unwrap(),
            "viewer/index.html?replay=..%2Freplays%2Fa%2520b.agon"
        );
        assert_eq!(
            viewer.replay("a.agon", Some(12)).unwrap(),
            "viewer/index.html?replay=..%2Freplays%2Fa.agon&step=12"
        );
        assert_eq!(Links::default().replay("a", None), None);
    }
}
