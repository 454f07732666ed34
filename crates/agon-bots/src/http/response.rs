//! Reads responses of web servers, every byte of which is foreign.

use httparse::{EMPTY_HEADER, Header, Status, parse_chunk_size, parse_headers};

/// The most bytes of a response's head, and of the fields behind chunks.
const HEAD: usize = 16 << 10;

/// The most fields of either.
const FIELDS: usize = 64;

/// The most bytes of a line with the size of a chunk.
const SIZE: usize = 256;

/// The most bytes of a response's body.
pub const BODY: usize = 64 << 10;

/// The most bytes of a whole response, as it comes: chunks may be short.
pub const MOST: usize = 192 << 10;

/// A response that has come as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Its status: 200 if all is well.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
    /// How many bytes it took.
    pub length: usize,
    /// Whether the server takes another request over the same connection.
    pub keeps: bool,
}

/// Reads a response while it comes. It looks at most bytes once.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// `None` until it has come.
    head: Option<Head>,
    /// How many bytes have been read.
    at: usize,
    /// The chunks so far.
    body: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    status: u16,
    extent: Extent,
    keeps: bool,
}

/// What tells where a body ends.
#[derive(Clone, Copy, Debug)]
enum Extent {
    Length(usize),
    Chunks,
    /// The end of the connection.
    Connection,
}

impl Reader {
    /// Reads a response of which these bytes have come so far, from its beginning; `has_ended` says
    /// that no more will. `None` if it is not complete.
    ///
    /// # Errors
    /// If it is no response, or longer than allowed.
    pub fn read(&mut self, bytes: &[u8], has_ended: bool) -> Result<Option<Response>, String> {
        let head = match self.head {
            Some(head) => head,
            None => {
                let Some((head, length)) = read_head(bytes)? else { return Ok(None) };
                self.at = length;
                *self.head.insert(head)
            }
        };
        let rest = &bytes[self.at..];
        match head.extent {
            Extent::Chunks if self.read_chunks(bytes)? => {}
            Extent::Length(length) if rest.len() >= length => self.take(&rest[..length]),
            Extent::Connection if rest.len() > BODY => return Err(too_long()),
            Extent::Connection if has_ended => self.take(rest),
            _ => return Ok(None),
        }
        let Head { status, keeps, .. } = head;
        let body = std::mem::take(&mut self.body);
        Ok(Some(Response { status, body, length: self.at, keeps }))
    }

    fn take(&mut self, body: &[u8]) {
        self.body = body.to_vec();
        self.at += body.len();
    }

    /// Reads the chunks that have come, and returns whether they are all.
    fn read_chunks(&mut self, bytes: &[u8]) -> Result<bool, String> {
        loop {
            let rest = &bytes[self.at..];
            let wrong = || "the size of a chunk cannot be read".to_owned();
            if rest.first().is_some_and(|byte| !byte.is_ascii_hexdigit()) {
                return Err(wrong());
            }
            let (line, size) = match parse_chunk_size(&rest[..rest.len().min(SIZE)]) {
                Ok(Status::Complete(parsed)) => parsed,
                Ok(Status::Partial) if rest.len() < SIZE => return Ok(false),
                _ => return Err(wrong()),
            };
            if size == 0 {
                let rest = &rest[line..];
                let mut fields = [EMPTY_HEADER; FIELDS];
                return match parse_headers(&rest[..rest.len().min(HEAD)], &mut fields) {
                    Ok(Status::Complete((length, _))) => {
                        self.at += line + length;
                        Ok(true)
                    }
                    Ok(Status::Partial) if rest.len() < HEAD => Ok(false),
                    _ => Err("what follows its chunks cannot be read".to_owned()),
                };
            }
            let room = BODY - self.body.len();
            let size = usize::try_from(size).ok().filter(|size| *size <= room);
            let size = size.ok_or_else(too_long)?;
            let Some(chunk) = rest.get(line..line + size + 2) else { return Ok(false) };
            let Some(chunk) = chunk.strip_suffix(b"\r\n") else {
                return Err("a chunk is longer than its size".to_owned());
            };
            self.body.extend_from_slice(chunk);
            self.at += line + size + 2;
        }
    }
}

fn too_long() -> String {
    format!("its body has more than {BODY} bytes")
}

/// Reads a head, and returns its length as well; `None` if it is not complete.
fn read_head(bytes: &[u8]) -> Result<Option<(Head, usize)>, String> {
    let mut fields = [EMPTY_HEADER; FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    let length = match response.parse(&bytes[..bytes.len().min(HEAD)]) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) if bytes.len() < HEAD => return Ok(None),
        Ok(Status::Partial) => return Err(format!("its head has more than {HEAD} bytes")),
        Err(error) => return Err(format!("it is no response of HTTP/1.1: {error}")),
    };
    let status = response.code.unwrap_or_default();
    let keeps = match response.version {
        Some(1) => !words(response.headers, "connection").any(|word| is(word, "close")),
        _ => words(response.headers, "connection").any(|word| is(word, "keep-alive")),
    };
    let extent = match status {
        ..200 | 204 | 304 => Extent::Length(0),
        _ => extent(response.headers)?,
    };
    Ok(Some((Head { status, extent, keeps }, length)))
}

fn extent(fields: &[Header<'_>]) -> Result<Extent, String> {
    let codings: Vec<_> = words(fields, "transfer-encoding").collect();
    let lengths: Vec<_> = words(fields, "content-length").collect();
    match (&codings[..], &lengths[..]) {
        ([], []) => Ok(Extent::Connection),
        ([coding], []) if is(coding, "chunked") => Ok(Extent::Chunks),
        ([_, ..], []) => Err("its transfer encoding is not `chunked`".to_owned()),
        ([], [length]) => {
            // No sign, which numbers may have in Rust.
            let is_number = !length.is_empty() && length.iter().all(u8::is_ascii_digit);
            let number = str::from_utf8(length).ok().filter(|_| is_number);
            let number = number.ok_or("its length is no number")?;
            let length = number.parse().ok().filter(|length| *length <= BODY);
            length.map(Extent::Length).ok_or_else(too_long)
        }
        _ => Err("its length is given twice".to_owned()),
    }
}

/// Returns the words of all fields with a name, which commas separate.
fn words<'a>(fields: &'a [Header<'a>], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let named = fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
    let split = |field: &'a Header<'a>| field.value.split(|byte| *byte == b',');
    named.flat_map(split).map(<[u8]>::trim_ascii)
}

fn is(word: &[u8], other: &str) -> bool {
    word.eq_ignore_ascii_case(other.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, has_ended: bool) -> Result<Option<Response>, String> {
        Reader::default().read(text.as_bytes(), has_ended)
    }

    /// Reads a whole response, at once and byte by byte, and with something behind it.
    #[track_caller]
    fn check(text: &str, status: u16, body: &str, keeps: bool) {
        let body = body.as_bytes().to_vec();
        let expected = Ok(Some(Response { status, body, length: text.len(), keeps }));
        assert_eq!(read(&format!("{text}HTTP/1.1"), true), expected);
        let mut reader = Reader::default();
        for length in 0..text.len() {
            assert_eq!(reader.read(&text.as_bytes()[..length], false), Ok(None), "{length}");
            // An end in the middle is no end of the response.
            assert_eq!(read(&text[..length], true), Ok(None), "{length}");
        }
        assert_eq!(reader.read(text.as_bytes(), false), expected);
    }

    #[test]
    fn responses_are_read() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n";
        check(&format!("{head}\r\n{{}}"), 200, "{}", true);
        check(&format!("{head}connection: Close\r\n\r\n{{}}"), 200, "{}", false);
        check("HTTP/1.0 200 OK\nContent-Length: 0\n\n", 200, "", false);
        let kept = "HTTP/1.0 404\r\nConnection: x, keep-alive\r\nContent-Length:1\r\n\r\nx";
        check(kept, 404, "x", true);
        check("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true);
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n";
        check(&format!("{head}0\r\n\r\n"), 200, "", true);
        let chunks = "2\r\n{\"\r\n0A ;x=y\r\nmove\":\"up\"\r\n1\r\n}\r\n000\r\nA: b\r\nC:\r\n\r\n";
        check(&format!("{head}{chunks}"), 200, "{\"move\":\"up\"}", true);
        // The end of the connection is that of the body.
        let text = "HTTP/1.1 200 OK\r\nServer: x\r\n\r\n{}";
        assert_eq!(read(text, false), Ok(None));
        assert_eq!(read(text, true).unwrap().unwrap().body, b"{}");
    }

    #[test]
    fn what_is_no_response_or_too_long_is_an_error() {
        let error = |text: &str, part: &str| {
            let error = read(text, false).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        for text in ["up\r\n", "HTTP/2 200 OK\r\n\r\n", "{\"move\":\"up\"}"] {
            error(text, "no response of HTTP/1.1");
        }
        let in_head = |fields: &str, part| error(&format!("HTTP/1.1 200 OK\r\n{fields}"), part);
        in_head(&"A: b\r\n".repeat(FIELDS + 1), "too many headers");
        in_head(&format!("A: {}", "x".repeat(HEAD)), "its head has more than");
        in_head(&format!("\r\n{}", "x".repeat(BODY + 1)), "more than 65536 bytes");
        in_head("Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "given twice");
        in_head("Content-Length: 65537\r\n\r\n", "more than 65536 bytes");
        in_head(&format!("Content-Length: {}\r\n\r\n", "9".repeat(40)), "more than 65536 bytes");
        for bad in ["-1", "+1", "1a", "", "1,", "0x1"] {
            in_head(&format!("Content-Length: {bad}\r\n\r\n"), "length");
        }
        in_head("Transfer-Encoding: gzip, chunked\r\n\r\n", "not `chunked`");
        in_head("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "given twice");
        let chunked = "Transfer-Encoding: chunked\r\n\r\n";
        for bad in ["x\r\n", "\r\n", "-1\r\n", "1 1\r\n", "11111111111111111\r\n"] {
            in_head(&format!("{chunked}{bad}"), "size of a chunk");
        }
        in_head(&format!("{chunked}1;{}", "x".repeat(SIZE)), "size of a chunk");
        in_head(&format!("{chunked}ffffffffffffffff\r\n"), "more than 65536 bytes");
        in_head(&format!("{chunked}1\r\nxyz"), "longer than its size");
        in_head(&format!("{chunked}0\r\nA b\r\n"), "what follows its chunks");
        let half = format!("8000\r\n{}\r\n", "x".repeat(0x8000));
        in_head(&format!("{chunked}{half}{half}1\r\n"), "more than 65536 bytes");
    }
}
