//! Makes programs for the kernel's filter of system calls from the verdicts that `seccomp` decides.
//!
//! A binary search finds the verdict on a call, in a tree of comparisons over ranges of numbers
//! with the same verdict. When a filter is installed, the kernel tries it with the number of every
//! call, to know which are always allowed, and translates it. So each start of a program pays for
//! the filter's length and depth. A tree of `n` ranges has some `2n` instructions and a depth of
//! `log2(n)`.

use std::{collections::BTreeMap, io};

use libc::c_long;
use seccompiler::{BpfProgram, apply_filter, sock_filter};

/// The verdict on a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallVerdict {
    /// The call is made.
    Allowed,
    /// The call fails with this error; with 0 it returns 0, and does nothing.
    Fails(i32),
    /// The call fails with the error of the first test that is true; with 0 it does nothing.
    FailsIf(Vec<(Test, i32)>),
}

/// A test of the lower half of an argument; arguments are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// It has this value.
    Is(u8, u32),
    /// It has none of these values.
    IsNone(u8, Vec<u32>),
    /// Its bits in the mask have this value.
    Bits(u8, u32, u32),
    /// At least one of its bits in the mask is set.
    AnyBit(u8, u32),
}

/// Verdicts on calls by number; all others are allowed.
pub(super) type Verdicts = BTreeMap<c_long, CallVerdict>;

/// Filters the system calls of the calling process irrevocably.
pub(super) fn apply(program: &BpfProgram) -> io::Result<()> {
    apply_filter(program).map_err(|error| match error {
        seccompiler::Error::Seccomp(error) | seccompiler::Error::Prctl(error) => error,
        other => io::Error::other(other),
    })
}

/// Returns a program that gives the verdicts.
///
/// Calls from a number on fail with `ENOSYS`, and those of another architecture kill the process.
pub(super) fn program(verdicts: &Verdicts, unknown_from: u32) -> io::Result<BpfProgram> {
    let mut program = vec![
        load(ARCHITECTURE_AT),
        jump(libc::BPF_JEQ, architecture()?, 1, 0),
        ends(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER_AT),
    ];
    program.extend(tree(&ranges(verdicts, unknown_from)));
    Ok(program)
}

/// Returns the verdicts on all numbers, as ranges that each end at the next one.
fn ranges(verdicts: &Verdicts, unknown_from: u32) -> Vec<(u32, CallVerdict)> {
    let mut ranges = vec![(0, CallVerdict::Allowed)];
    let mut add = |from: u32, verdict: CallVerdict| {
        let (last, present) = ranges.last().expect("there is a first one");
        match *last == from {
            _ if *present == verdict => {}
            true => {
                ranges.pop();
                ranges.push((from, verdict));
            }
            false => ranges.push((from, verdict)),
        }
    };
    let known =
        verdicts.iter().filter_map(|(call, verdict)| Some((u32::try_from(*call).ok()?, verdict)));
    let mut next = 0;
    for (call, verdict) in known.filter(|(call, _)| *call < unknown_from) {
        if call > next {
            add(next, CallVerdict::Allowed);
        }
        add(call, verdict.clone());
        next = call + 1;
    }
    if next < unknown_from {
        add(next, CallVerdict::Allowed);
    }
    add(unknown_from, CallVerdict::Fails(libc::ENOSYS));
    ranges
}

/// Returns a program that finds the range of a number.
fn tree(ranges: &[(u32, CallVerdict)]) -> BpfProgram {
    if let [(_, verdict)] = ranges {
        return leaf(verdict);
    }
    let (below, above) = ranges.split_at(ranges.len() / 2);
    let left = tree(below);
    let right = tree(above);
    let from = above[0].0;
    let mut program = match u8::try_from(left.len()) {
        Ok(length) => vec![jump(libc::BPF_JGE, from, length, 0)],
        // Only unconditional jumps reach that far.
        Err(_) => {
            let length = u32::try_from(left.len()).expect("programs are short");
            vec![
                jump(libc::BPF_JGE, from, 0, 1),
                instruction(libc::BPF_JMP | libc::BPF_JA, length, 0, 0),
            ]
        }
    };
    program.extend(left);
    program.extend(right);
    program
}

/// Returns a program that gives a verdict.
fn leaf(verdict: &CallVerdict) -> BpfProgram {
    let fails = |error: i32| ends(libc::SECCOMP_RET_ERRNO | error.unsigned_abs());
    let tests = match verdict {
        CallVerdict::Allowed => return vec![ends(libc::SECCOMP_RET_ALLOW)],
        CallVerdict::Fails(error) => return vec![fails(*error)],
        CallVerdict::FailsIf(tests) => tests,
    };
    let mut program = Vec::new();
    for (test, error) in tests {
        match test {
            Test::Is(argument, value) => {
                program.extend([load(argument_at(*argument)), jump(libc::BPF_JEQ, *value, 0, 1)]);
            }
            Test::AnyBit(argument, mask) => {
                program.extend([load(argument_at(*argument)), jump(libc::BPF_JSET, *mask, 0, 1)]);
            }
            Test::Bits(argument, mask, value) => program.extend([
                load(argument_at(*argument)),
                instruction(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, *mask, 0, 0),
                jump(libc::BPF_JEQ, *value, 0, 1),
            ]),
            Test::IsNone(argument, values) => {
                program.push(load(argument_at(*argument)));
                // From each match, past the others and the end.
                let left = (1..=values.len()).rev();
                program.extend(values.iter().zip(left).map(|(value, left)| {
                    let past = u8::try_from(left).expect("values are few");
                    jump(libc::BPF_JEQ, *value, past, 0)
                }));
            }
        }
        program.push(fails(*error));
    }
    program.push(ends(libc::SECCOMP_RET_ALLOW));
    program
}

/// Offsets in the data of a filter.
///
/// The data have the number of the call, the architecture, the address of the instruction in 64
/// bits, and six arguments of 64 bits.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;

/// Returns the offset of the lower half of an argument.
fn argument_at(argument: u8) -> u32 {
    let upper_half_first = u32::from(cfg!(target_endian = "big"));
    16 + 8 * u32::from(argument) + 4 * upper_half_first
}

/// Returns the kernel's `AUDIT_ARCH_...` of this architecture.
fn architecture() -> io::Result<u32> {
    match std::env::consts::ARCH {
        "x86_64" => Ok(0xC000_003E),
        "aarch64" => Ok(0xC000_00B7),
        "riscv64" => Ok(0xC000_00F3),
        other => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("no filter is known for {other}"),
        )),
    }
}

fn load(at: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at, 0, 0)
}

fn jump(comparison: u32, value: u32, if_true: u8, if_false: u8) -> sock_filter {
    instruction(libc::BPF_JMP | comparison | libc::BPF_K, value, if_true, if_false)
}

fn ends(with: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, with, 0, 0)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: u16::try_from(code).expect("codes of instructions are small"), jt, jf, k }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a filter's result for a call, and the number of instructions.
    pub(in super::super) fn run(
        program: &BpfProgram,
        number: u32,
        arguments: [u64; 6],
    ) -> (u32, usize) {
        let mut at = 0;
        let mut word = 0;
        for steps in 1.. {
            let sock_filter { code, jt, jf, k } = program[at].clone();
            let branch = |holds: bool| usize::from(if holds { jt } else { jf });
            at += 1;
            match u32::from(code) {
                0x20 if k == NUMBER_AT => word = number,
                0x20 if k == ARCHITECTURE_AT => word = architecture().unwrap(),
                0x20 => {
                    let index = (k - argument_at(0)) / 8;
                    assert_eq!(k, argument_at(index.try_into().unwrap()));
                    word = arguments[index as usize] as u32;
                }
                0x05 => at += k as usize,
                0x15 => at += branch(word == k),
                0x35 => at += branch(word >= k),
                0x45 => at += branch(word & k != 0),
                0x54 => word &= k,
                0x06 => return (k, steps),
                other => panic!("code {other:#x}"),
            }
        }
        unreachable!()
    }

    const ALLOWED: u32 = libc::SECCOMP_RET_ALLOW;

    fn failure(error: i32) -> u32 {
        libc::SECCOMP_RET_ERRNO | error.unsigned_abs()
    }

    #[test]
    fn each_number_gets_its_verdict() {
        // Every third and every tenth call, so that ranges of several lengths are next to
        // each other.
        let verdict = |call: u32| match call {
            call if call.is_multiple_of(10) => CallVerdict::Fails(libc::ENOSYS),
            call if call.is_multiple_of(3) => CallVerdict::Fails(libc::EPERM),
            _ => CallVerdict::Allowed,
        };
        let verdicts: Verdicts = (0..900).map(|call| (c_long::from(call), verdict(call))).collect();
        let program = program(&verdicts, 700).unwrap();
        for number in (0..900).chain([1 << 30, u32::MAX]) {
            let expected = match verdict(number) {
                _ if number >= 700 => failure(libc::ENOSYS),
                CallVerdict::Fails(error) => failure(error),
                _ => ALLOWED,
            };
            let (result, steps) = run(&program, number, [0; 6]);
            assert_eq!(result, expected, "{number}");
            assert!(steps < 32, "{number}: {steps}");
        }
    }

    #[test]
    fn arguments_are_tested() {
        let tests = vec![
            (Test::Is(1, 7), libc::EPERM),
            (Test::Bits(2, 0b110, 0b100), libc::EINVAL),
            (Test::IsNone(0, vec![1, 2, 3]), libc::EPERM),
            (Test::AnyBit(3, 0b11), 0),
        ];
        let program = program(&Verdicts::from([(5, CallVerdict::FailsIf(tests))]), 100).unwrap();
        let result = |arguments| run(&program, 5, arguments).0;
        for first in [1, 2, 3, 3 | 1 << 32] {
            assert_eq!(result([first, 6, 0b010, 0b100, 0, 0]), ALLOWED);
        }
        let bad = [
            ([0, 6, 0b010, 0, 0, 0], libc::EPERM),
            ([1, 7, 0b010, 0, 0, 0], libc::EPERM),
            ([2, 6, 0b101, 0, 0, 0], libc::EINVAL),
            ([1, 6, 0b010, 0b110, 0, 0], 0),
        ];
        for (bad, error) in bad {
            assert_eq!(result(bad), failure(error), "{bad:?}");
        }
        assert_eq!(run(&program, 4, [0; 6]).0, ALLOWED);
        assert_eq!(run(&program, 6, [0; 6]).0, ALLOWED);
    }
}
