//! The child process that loads a native library and calls its functions.

use std::ffi::{OsStr, OsString, c_uint, c_void};
use std::process::ExitCode;

use agon_games::batch::{ABI, Question, Record};
use agon_games::cellhack::batch::{CellAnswer, CellQuestion};
use agon_games::cellhack::protocol::FUNCTION;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::batch::{Area, Call, Decider, Trap, serve_main};

/// `uint32_t agon_abi(void)`
type Abi = unsafe extern "C" fn() -> u32;

/// `uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)`
type Decide = unsafe extern "C" fn(*const c_void, u32, *mut c_void, u32) -> u32;

/// `void agon_start(const char *message, uint32_t length)`
type Start = unsafe extern "C" fn(*const c_void, u32);

/// `uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)`.
///
/// Bots declare `energy` as `uint8_t` or `int`: a whole register with a small number fits both.
type DecideCell = unsafe extern "C" fn(*mut u8, c_uint, *mut u64) -> u8;

/// Runs the process of a native library: its main function.
///
/// `args` are those after the host program's own. Returns when the arena closes the pipe.
pub fn child_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    serve_main(args, |args| match args {
        [game, library] => load(game, library),
        _ => Err("expected a game and a library".to_owned()),
    })
}

/// A library's functions.
enum Functions {
    Batch { decide: Decide, start: Option<Start> },
    Cell(DecideCell),
}

/// The problem of a source that defines `main`.
const PROGRAM: &str = "it is a program (it has a function `main`, but no `agon_decide`); compile \
                       it and name the executable, as in `./bot`";

#[allow(unsafe_code)]
fn load(game: &OsStr, path: &OsStr) -> Result<Functions, String> {
    // SAFETY: this process exists to run foreign code. Damage by constructors stays in it.
    let library =
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| reason(&e))?;
    // SAFETY: functions with these names are documented to have these types. If one has another
    // type, the damage stays in this process as well.
    let functions = unsafe {
        let abi = library.get::<Abi>("agon_abi").map(|symbol| *symbol);
        let decide = library.get::<Decide>("agon_decide").map(|symbol| *symbol);
        let start = library.get::<Start>("agon_start").map(|symbol| *symbol).ok();
        let cell = library.get::<DecideCell>(FUNCTION).map(|symbol| *symbol);
        match (abi, decide, cell) {
            (Ok(abi), Ok(decide), _) => match abi() {
                ABI => Ok(Functions::Batch { decide, start }),
                other => {
                    Err(format!("its version of the interface is {other}, the arena's is {ABI}"))
                }
            },
            (Err(_), Ok(_), _) => {
                Err("it has a function `agon_decide` but none `agon_abi`".to_owned())
            }
            (_, Err(_), Ok(cell)) if game == "cellhack" => Ok(Functions::Cell(cell)),
            _ if game == "cellhack" => {
                Err(format!("it has no function `{FUNCTION}` and none `agon_decide`"))
            }
            _ if library.get::<DecideCell>("main").is_ok() => Err(PROGRAM.to_owned()),
            _ => Err("it has no function `agon_decide`, which agon/bot.h declares".to_owned()),
        }
    };
    // Never unloaded: its functions are called until the process ends.
    std::mem::forget(library);
    functions
}

/// Returns the loader's description of the error.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

impl Decider for Functions {
    #[allow(unsafe_code)]
    fn start(&mut self, message: &[u8]) -> Result<(), Trap> {
        if let Functions::Batch { start: Some(start), .. } = self {
            // SAFETY: the message is readable memory of this length. It is foreign code:
            // see `load`.
            unsafe { start(message.as_ptr().cast(), message.len() as u32) };
        }
        Ok(())
    }

    #[allow(unsafe_code)]
    fn decide(&mut self, area: &Area, call: Call) -> Result<usize, Trap> {
        match self {
            Functions::Batch { decide, .. } => {
                let question = area.question().cast();
                let answers = area.answers().cast();
                // SAFETY: both rooms are mapped and have these lengths. It is foreign code:
                // see `load`.
                let length =
                    unsafe { decide(question, call.length as u32, answers, call.room as u32) };
                Ok(length as usize)
            }
            Functions::Cell(decide) => Ok(decide_cells(*decide, area, call)),
        }
    }
}

/// Calls the function of a cell for each cell of a question.
#[allow(unsafe_code)]
fn decide_cells(decide: DecideCell, area: &Area, call: Call) -> usize {
    let cells = (call.length - Question::SIZE) / CellQuestion::SIZE;
    for i in 0..cells.min(call.room / CellAnswer::SIZE) {
        let question = Question::SIZE + i * CellQuestion::SIZE;
        let answer = i * CellAnswer::SIZE;
        // SAFETY: `i` is within the question and within the room for answers. Both are mapped, and
        // nobody else uses them until this question is answered.
        let (question, answer) = unsafe {
            (
                std::slice::from_raw_parts(area.question().add(question), CellQuestion::SIZE),
                std::slice::from_raw_parts_mut(area.answers().add(answer), CellAnswer::SIZE),
            )
        };
        let mut cell = CellQuestion::get(question);
        // SAFETY: both pointers are to live memory of the documented length, which the function may
        // write to. It is foreign code: see `load`.
        let action =
            unsafe { decide(cell.env.as_mut_ptr(), c_uint::from(cell.energy), &mut cell.memory) };
        let given = match action {
            0 => CellAnswer::zero(cell.memory),
            action => CellAnswer { action, pad: [0; 7], memory: cell.memory },
        };
        given.put(answer);
    }
    cells * CellAnswer::SIZE
}
