//! The program `agon-nats`, as the arena sees it.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use agon_arena::ArenaError;
use agon_files::parts::{self, Running};
use rustix::time::{ClockId, clock_gettime};

use crate::dialogue::{DIALOGUE, PART};
use crate::{Answer, Order, RemoteOptions};

/// How long it is listened to after it has ended.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// How long the program may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(5);

/// A message of the program.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) answer: Answer,
    pub(super) bytes: Vec<u8>,
    /// When, as time since the machine was started.
    pub(super) at: Duration,
}

/// Returns the time since the machine was started. It goes on while the machine sleeps: a lease
/// ends then, too.
pub(super) fn since_boot() -> Duration {
    let now = clock_gettime(ClockId::Boottime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

fn start_thread(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), ArenaError> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(run);
    thread.map(drop).map_err(ArenaError::Thread)
}

/// The running program.
#[derive(Debug)]
pub(super) struct Host {
    running: Option<Running>,
    /// What it is told, on a thread that may wait: nobody else should while the server is away.
    orders: Option<Sender<(Order, Vec<u8>)>>,
    answers: Receiver<Heard>,
    /// Whether it has ended.
    pub(super) is_lost: bool,
    /// Until when the lease holds that it took when it started.
    pub(super) lease: Duration,
    /// When its credentials expire, in seconds since 1970; 0 if they do not.
    pub(super) expires: u64,
}

impl Host {
    /// Starts it, and waits until it is connected.
    pub(super) fn start(
        options: &RemoteOptions,
        announce: &dyn Fn(&str),
    ) -> Result<Host, ArenaError> {
        let remote = |error: &dyn std::fmt::Display| ArenaError::Remote(error.to_string());
        let mut running =
            Running::start(&PART, DIALOGUE, announce).map_err(|error| remote(&error))?;
        let mut stdin = running.stdin.take().ok_or_else(|| remote(&"it has no pipe"))?;
        let mut stdout = running.stdout.take().ok_or_else(|| remote(&"it has no pipe"))?;
        let (sender, answers) = mpsc::channel();
        start_thread("agon-nats", move || {
            while let Ok(Some(message)) = parts::receive(&mut stdout) {
                let heard = Heard { answer: message.value, bytes: message.bytes, at: since_boot() };
                if sender.send(heard).is_err() {
                    return;
                }
            }
        })?;
        let (orders, told) = mpsc::channel::<(Order, Vec<u8>)>();
        start_thread("orders", move || {
            while let Ok((order, bytes)) = told.recv()
                && parts::send(&mut stdin, &order, &bytes).is_ok()
            {}
        })?;
        let lease = since_boot();
        let (running, orders) = (Some(running), Some(orders));
        let mut host = Host { running, orders, answers, is_lost: false, lease, expires: 0 };
        let path = |path: &std::path::PathBuf| path.display().to_string();
        let open = Order::Open {
            server: options.address.secret().to_owned(),
            credentials: options.credentials.as_ref().map(path),
            authority: options.authority.as_ref().map(path),
            bot_store: options.bot_store.as_ref().map(path),
            run: options.run.clone(),
        };
        host.tell(open, Vec::new())?;
        loop {
            let Some(heard) = host.hear(Duration::from_secs(60))? else { continue };
            match heard.answer {
                Answer::Opened { expires, .. } => {
                    host.expires = expires;
                    return Ok(host);
                }
                Answer::Lease(ms) => host.lease = heard.at + Duration::from_millis(ms),
                Answer::Waits(text) => announce(&text),
                Answer::Failed(error) => return Err(ArenaError::Remote(error)),
                _ => {}
            }
        }
    }

    /// Tells it what to do.
    pub(super) fn tell(&mut self, order: Order, bytes: Vec<u8>) -> Result<(), ArenaError> {
        // The thread ends with the program.
        match self.orders.as_ref().map(|orders| orders.send((order, bytes))) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    /// Waits for its next message; `None` if there is none in this time.
    pub(super) fn hear(&mut self, patience: Duration) -> Result<Option<Heard>, ArenaError> {
        match self.answers.recv_timeout(patience) {
            Ok(heard) => Ok(Some(heard)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// Says how it ended. If it has said why, that is the reason.
    fn ended(&mut self) -> ArenaError {
        self.is_lost = true;
        let until = Instant::now() + LAST_WORDS;
        while Instant::now() < until
            && let Ok(heard) = self.answers.recv_timeout(Duration::from_secs(1))
        {
            if let Answer::Failed(error) = heard.answer {
                return ArenaError::Remote(error);
            }
        }
        let how = self.running.as_mut().map_or_else(String::new, Running::ended);
        ArenaError::Remote(format!(
            "`{}`, which speaks to the server, ended ({how}); start the same command again to go \
             on",
            PART.program
        ))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // The end of its input tells it to give up the lease and end.
        drop(self.orders.take());
        if let Some(running) = self.running.take() {
            running.end_within(GOODBYE);
        }
    }
}
