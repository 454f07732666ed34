//! Answers as bytes, for replays: one byte for nearly every answer.
//!
//! The low five bits hold the command's code. The three flags above them say which blobs follow,
//! each with its length in front.

use agon_core::{
    Blob, Codec, DecodeError,
    codec::{put_varint, take_byte, take_bytes, take_varint},
};

use super::{
    Answer, Baggage,
    answer::{CODES, COMMANDS, DIVIDE, REST},
};

const CODE: u8 = 0x1F;
const DATA: u8 = 0x20;
const CHILD_DATA: u8 = 0x40;
const FUNCTION: u8 = 0x80;

/// Answers that are written and read together.
const CHUNK: usize = 64;

impl Codec for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        let Some(baggage) = &self.baggage else { return out.push(self.code) };
        let Baggage { data, function, child_data } = &**baggage;
        let blobs = [(DATA, data), (CHILD_DATA, child_data), (FUNCTION, function)];
        let flags = |code, &(flag, blob): &(u8, &Option<Blob>)| {
            if blob.is_some() { code | flag } else { code }
        };
        out.push(blobs.iter().fold(self.code, flags));
        for blob in blobs.iter().filter_map(|(_, blob)| blob.as_ref()) {
            put_varint(out, blob.bytes().len() as u64);
            out.extend_from_slice(blob.bytes());
        }
    }

    fn decode(input: &mut &[u8]) -> Result<Answer, DecodeError> {
        let byte = take_byte(input)?;
        let code = byte & CODE;
        let allowed = match code {
            0 => 0,
            REST..DIVIDE => DATA,
            _ => DATA | CHILD_DATA | FUNCTION,
        };
        let command = COMMANDS.get(usize::from(code)).filter(|_| byte & !CODE & !allowed == 0);
        let command = *command.ok_or(DecodeError::Unknown(byte))?;
        if byte == code {
            return Ok(Answer::plain(command));
        }
        let mut blob = |flag| if byte & flag != 0 { take_blob(input).map(Some) } else { Ok(None) };
        let data = blob(DATA)?;
        let child_data = blob(CHILD_DATA)?;
        let function = blob(FUNCTION)?;
        Ok(Answer::new(command, Baggage { data, function, child_data }))
    }

    /// Nearly all answers are one byte; these are written many at a time.
    fn encode_all(values: &[Answer], out: &mut Vec<u8>) {
        for chunk in values.chunks(CHUNK) {
            if chunk.iter().any(|answer| answer.baggage.is_some()) {
                chunk.iter().for_each(|answer| answer.encode(out));
            } else {
                out.extend(chunk.iter().map(|answer| answer.code));
            }
        }
    }

    fn decode_all(
        input: &mut &[u8],
        count: u64,
        values: &mut Vec<Answer>,
    ) -> Result<(), DecodeError> {
        let mut left = count;
        while left > 0 {
            let most = CHUNK.min(left.try_into().unwrap_or(CHUNK));
            let plain = input.iter().take(most).take_while(|&&code| code < CODES).count();
            let (codes, rest) = input.split_at(plain);
            values.extend(codes.iter().map(|&code| Answer { code, baggage: None }));
            *input = rest;
            left -= plain as u64;
            if plain < most {
                values.push(Answer::decode(input)?);
                left -= 1;
            }
        }
        Ok(())
    }
}

fn take_blob(input: &mut &[u8]) -> Result<Blob, DecodeError> {
    let length = usize::try_from(take_varint(input)?).map_err(|_| DecodeError::TooLarge)?;
    take_bytes(input, length).map(Blob::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::amoebas::Dir;

    fn plain() -> impl Strategy<Value = Answer> {
        prop::sample::select(&COMMANDS).prop_map(Answer::plain)
    }

    fn answers() -> impl Strategy<Value = Answer> {
        let blob = || proptest::option::of(any::<Vec<u8>>().prop_map(Blob::from));
        let parts = (prop::sample::select(&COMMANDS), blob(), blob(), blob());
        parts.prop_map(|(command, data, function, child_data)| {
            Answer::new(command, Baggage { data, function, child_data })
        })
    }

    proptest! {
        #[test]
        fn answers_come_back_from_bytes_json_and_postcard(answer in answers()) {
            let mut bytes = Vec::new();
            answer.encode(&mut bytes);
            let mut input = bytes.as_slice();
            prop_assert_eq!(Answer::decode(&mut input), Ok(answer.clone()));
            prop_assert!(input.is_empty());
            let json = serde_json::to_string(&answer).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Answer>(&json).unwrap(), &answer);
            let binary = postcard::to_stdvec(&answer).unwrap();
            prop_assert_eq!(&postcard::from_bytes::<Answer>(&binary).unwrap(), &answer);
        }

        #[test]
        fn many_are_written_and_read_as_one_by_one(
            mut written in
                prop::collection::vec(prop_oneof![20 => plain(), 1 => answers()], 0..300),
            cut: prop::sample::Index,
        ) {
            let mut all = Vec::new();
            let mut each = Vec::new();
            Answer::encode_all(&written, &mut all);
            written.iter().for_each(|answer| answer.encode(&mut each));
            prop_assert_eq!(&all, &each);
            let mut read = Vec::new();
            let input = &mut all.as_slice();
            prop_assert_eq!(Answer::decode_all(input, written.len() as u64, &mut read), Ok(()));
            prop_assert!(input.is_empty());
            prop_assert_eq!(&read, &written);
            // Answers that are whole before the cut are read.
            read.clear();
            let short = cut.index(all.len() + 1);
            let result = Answer::decode_all(&mut &all[..short], written.len() as u64, &mut read);
            prop_assert_eq!(result.is_ok(), short == all.len());
            written.truncate(read.len());
            prop_assert_eq!(read, written);
        }

        #[test]
        fn any_bytes_are_an_answer_or_refused(bytes: Vec<u8>) {
            let mut input = bytes.as_slice();
            if let Ok(answer) = Answer::decode(&mut input) {
                let mut again = Vec::new();
                answer.encode(&mut again);
                prop_assert_eq!(Answer::decode(&mut again.as_slice()), Ok(answer));
            }
        }
    }

    #[test]
    fn plain_answers_take_one_byte() {
        for answer in [Answer::FAULT, Answer::REST, Answer::step(Dir::W), Answer::divide(Dir::W)] {
            let mut bytes = Vec::new();
            answer.encode(&mut bytes);
            assert_eq!(bytes.len(), 1, "{answer:?}");
        }
    }

    #[test]
    fn bytes_without_meaning_are_refused() {
        let decode = |bytes: &[u8]| Answer::decode(&mut &bytes[..]);
        assert_eq!(decode(&[26]), Err(DecodeError::Unknown(26)));
        assert_eq!(decode(&[DATA]), Err(DecodeError::Unknown(DATA)));
        assert_eq!(decode(&[REST | FUNCTION, 0]), Err(DecodeError::Unknown(REST | FUNCTION)));
        assert_eq!(decode(&[REST | DATA, 2, b'x']), Err(DecodeError::Truncated));
        assert_eq!(decode(&[]), Err(DecodeError::Truncated));
    }
}
