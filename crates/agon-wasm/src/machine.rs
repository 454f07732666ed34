//! A WebAssembly bot that plays: an instance of a module, with its memory.

use std::ops::Range;

use agon_bots::batch::{Area, Call, Decider, Trap, TrapKind};
use agon_games::batch::ABI;
use wasmtime::{Error, Memory, Store, TypedFunc};

use crate::Module;
use crate::imports::{State, linker};
use crate::limits::{Limits, explain};

/// Fuel for loading a module, and for its `agon_start`.
pub const START_FUEL: u64 = 2_000_000_000;

/// Room is requested in steps, so that a few more decisions need no new request.
const ROOM_STEP: usize = 64 << 10;

/// The alignment of rooms and of the answers in them.
const ALIGN: usize = 8;

/// A module's instance: its memory, and the functions that the arena calls.
pub struct Machine {
    store: Store<State>,
    functions: Functions,
    /// The bot's place for questions and answers.
    place: Range<usize>,
}

struct Functions {
    memory: Memory,
    decide: TypedFunc<(u32, u32, u32, u32), u32>,
    start: Option<TypedFunc<(u32, u32), ()>>,
    room: TypedFunc<u32, u32>,
}

impl Machine {
    /// Makes an instance with at most this many MiB of memory, and runs its start functions.
    ///
    /// # Errors
    /// If it needs more memory from the start, a start function fails, or it was made for
    /// another interface.
    pub fn new(module: &Module, memory: u32) -> Result<Machine, String> {
        Machine::with_abi(module, memory, ABI)
    }

    /// Does the same for another interface, such as that of games.
    ///
    /// # Errors
    /// As [`Machine::new`].
    pub fn with_abi(module: &Module, memory: u32, wanted: u32) -> Result<Machine, String> {
        let limits = Limits::new(memory);
        if module.memory() > limits.memory as u64 {
            return Err(limits.too_much(module.memory()));
        }
        let mut store = Store::new(&module.engine, State::new(limits));
        store.limiter(|state| &mut state.limits);
        let loaded = load(&mut store, module);
        let (functions, abi) = loaded.map_err(|error| {
            let trap = explain(&error, &store.data().limits, START_FUEL);
            format!("it fails at the start: {}", trap.detail)
        })?;
        if abi != wanted {
            return Err(format!("its version of the interface is {abi}, the arena's is {wanted}"));
        }
        Ok(Machine { store, functions, place: 0..0 })
    }

    /// Makes sure that the bot has room for this many bytes.
    fn make_room(&mut self, size: usize, fuel: u64) -> Result<(), Trap> {
        if size <= self.place.len() {
            return Ok(());
        }
        let size = size.next_multiple_of(ROOM_STEP);
        let asked = self.functions.room.call(&mut self.store, size as u32);
        let start =
            asked.map_err(|error| explain(&error, &self.store.data().limits, fuel))? as usize;
        let memory = self.functions.memory.data_size(&self.store);
        let crash = |detail| Err(Trap { kind: TrapKind::Crash, detail });
        if start == 0 {
            let lack = self
                .store
                .data()
                .limits
                .refused()
                .map(|lack| format!("; {lack}"))
                .unwrap_or_default();
            let detail = format!("agon_room gives no room for {size} bytes{lack}");
            return Err(Trap { kind: TrapKind::Memory, detail });
        }
        if !start.is_multiple_of(ALIGN) {
            return crash(format!("agon_room gives {start:#x}, which is no multiple of {ALIGN}"));
        }
        if start + size > memory {
            return crash(format!(
                "agon_room gives {start:#x}: {size:#x} bytes from there are outside of the \
                 module's {memory:#x}"
            ));
        }
        self.place = start..start + size;
        Ok(())
    }

    /// Prepares for a call with this fuel, and random numbers from this seed.
    fn begin(&mut self, fuel: u64, seed: u64) -> Result<(), Trap> {
        self.store.data_mut().begin(seed);
        self.store.set_fuel(fuel).map_err(|error| explain(&error, &self.store.data().limits, fuel))
    }

    /// Answers a question in the module's own memory.
    ///
    /// Returns the number of bytes that it claims to have written, or its failure. Also returns its
    /// room for answers up to that length.
    pub fn answer(
        &mut self,
        question: &[u8],
        call: Call,
    ) -> Result<(Result<usize, Trap>, &[u8]), Trap> {
        self.begin(call.fuel, call.seed)?;
        let answers = question.len().next_multiple_of(ALIGN);
        self.make_room(answers + call.room, call.fuel)?;
        let Functions { memory, decide, .. } = &self.functions;
        let start = self.place.start;
        let data = memory.data_mut(&mut self.store);
        data[start..start + question.len()].copy_from_slice(question);
        let answers = start + answers;
        data[answers..answers + call.records.min(call.room)].fill(0);
        let params = (start as u32, question.len() as u32, answers as u32, call.room as u32);
        let result = decide.call(&mut self.store, params);
        let written = result.as_ref().map_or(call.room, |&length| call.room.min(length as usize));
        let result = result
            .map(|length| length as usize)
            .map_err(|error| explain(&error, &self.store.data().limits, call.fuel));
        Ok((result, &memory.data(&self.store)[answers..answers + written]))
    }
}

/// Runs the start functions; returns the arena's functions and the interface's version.
fn load(mut store: &mut Store<State>, module: &Module) -> Result<(Functions, u32), Error> {
    store.set_fuel(START_FUEL)?;
    let instance = linker(&module.engine)?.instantiate(&mut store, &module.compiled)?;
    let memory = instance.get_memory(&mut store, "memory");
    if let Ok(initialize) = instance.get_typed_func::<(), ()>(&mut store, "_initialize") {
        initialize.call(&mut store, ())?;
    }
    let abi = instance.get_typed_func::<(), u32>(&mut store, "agon_abi")?.call(&mut store, ())?;
    let functions = Functions {
        memory: memory.ok_or_else(|| Error::msg("it has no memory"))?,
        decide: instance.get_typed_func(&mut store, "agon_decide")?,
        start: instance.get_typed_func(&mut store, "agon_start").ok(),
        room: instance.get_typed_func(&mut store, "agon_room")?,
    };
    Ok((functions, abi))
}

impl Decider for Machine {
    fn start(&mut self, message: &[u8]) -> Result<(), Trap> {
        let Some(start) = self.functions.start.clone() else { return Ok(()) };
        self.begin(START_FUEL, 0)?;
        self.make_room(message.len(), START_FUEL)?;
        let place = self.place.start;
        self.functions.memory.data_mut(&mut self.store)[place..place + message.len()]
            .copy_from_slice(message);
        let done = start.call(&mut self.store, (place as u32, message.len() as u32));
        done.map_err(|error| explain(&error, &self.store.data().limits, START_FUEL))
    }

    fn decide(&mut self, area: &Area, call: Call) -> Result<usize, Trap> {
        let (result, answers) = self.answer(area.read_question(call.length), call)?;
        area.write_answers(answers);
        result
    }
}
