//! Static files: style, script and icon.

/// A static file, to be served at its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticFile {
    /// The path that pages use: `/static/ladder.css`. They add `?v=` and [`StaticFile::tag`].
    pub path: &'static str,
    /// The value of `Content-Type`.
    pub media_type: &'static str,
    /// The contents.
    pub text: &'static str,
}

impl StaticFile {
    /// Returns a hash of the contents. Addresses contain it, so that browsers may keep files.
    pub const fn tag(&self) -> u64 {
        // FNV-1a: <http://www.isthe.com/chongo/tech/comp/fnv/>.
        let bytes = self.text.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        hash
    }

    /// Returns the address that pages use: `/static/ladder.css?v=0123456789abcdef`.
    pub fn address(&self) -> String {
        format!("{}?v={:016x}", self.path, self.tag())
    }
}

/// The style of all pages.
pub const STYLE: StaticFile = StaticFile {
    path: "/static/ladder.css",
    media_type: "text/css; charset=utf-8",
    text: include_str!("../static/ladder.css"),
};

/// The script of all pages.
pub const SCRIPT: StaticFile = StaticFile {
    path: "/static/ladder.js",
    media_type: "text/javascript; charset=utf-8",
    text: include_str!("../static/ladder.js"),
};

/// The icon.
pub const ICON: StaticFile = StaticFile {
    path: "/static/icon.svg",
    media_type: "image/svg+xml",
    text: include_str!("../static/icon.svg"),
};

/// All static files.
pub const FILES: [StaticFile; 3] = [STYLE, SCRIPT, ICON];
