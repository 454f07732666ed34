//! Sends messages to `agon-window-host`, the program that has the window, and receives its reports.
//!
//! Separate threads send and receive them, so that the arena never waits for a host that hangs.

use std::{
    io,
    sync::mpsc::{self, Receiver, Sender},
    thread,
    time::Duration,
};

use crate::dialogue::{Order, Report};
use agon_paint::Frame;
use agon_parts::{Ear, Mouth, Running};

use crate::WindowError;

/// The host's time limit for closing its window.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// A piece of news.
#[derive(Debug)]
pub(crate) enum Event {
    /// The host has sent a report.
    Said(Report),
    /// A picture is on its way, and its frame is free again.
    Sent(Frame),
    /// The host sends nothing more, because of an error if there is one.
    Ended(Option<io::Error>),
}

/// A message to send.
#[derive(Debug)]
enum Outgoing {
    Order(Order),
    Picture(Frame),
}

/// The connection to a host.
#[derive(Debug)]
pub(crate) struct Post {
    running: Running,
    outgoing: Sender<Outgoing>,
    events: Receiver<Event>,
}

impl Post {
    /// Connects to a host that was started.
    ///
    /// # Errors
    /// If no more threads are allowed.
    pub(crate) fn open(mut running: Running) -> Result<Post, WindowError> {
        let (news, events) = mpsc::channel();
        let (outgoing, orders) = mpsc::channel();
        if let (Some(mouth), Some(ear)) = (running.take_mouth(), running.take_ear()) {
            let sent = news.clone();
            begin("window out", move || send(mouth, &orders, &sent))?;
            begin("window in", move || receive(ear, &news))?;
        }
        Ok(Post { running, outgoing, events })
    }

    /// Sends the host an order.
    pub(crate) fn order(&self, order: Order) {
        // The end of the host is an event.
        let _ = self.outgoing.send(Outgoing::Order(order));
    }

    /// Shows a picture; its frame comes back when it is sent.
    pub(crate) fn show(&self, picture: Frame) {
        let _ = self.outgoing.send(Outgoing::Picture(picture));
    }

    /// Waits for the next event; `None` if there is none in time.
    pub(crate) fn wait(&self, patience: Duration) -> Option<Event> {
        self.events.recv_timeout(patience).ok()
    }

    /// Returns the next event, if there is one already.
    pub(crate) fn next(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Returns the reason why the window is lost.
    pub(crate) fn lost(&mut self, error: Option<io::Error>) -> WindowError {
        WindowError::Lost(match error {
            Some(error) => format!("sends an invalid message: {error}"),
            None => format!("has ended, {}", self.running.ended()),
        })
    }

    /// Closes the window.
    pub(crate) fn close(self) {
        // The sending thread ends with its work, and then so does the host.
        drop(self.outgoing);
        self.running.end_within(LAST_MOMENT);
    }
}

fn begin(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), WindowError> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map(drop).map_err(WindowError::Thread)
}

fn send(mut mouth: Mouth, outgoing: &Receiver<Outgoing>, sent: &Sender<Event>) {
    for message in outgoing {
        let done = match message {
            Outgoing::Order(order) => mouth.tell(&order, &[]),
            Outgoing::Picture(frame) => {
                let order = Order::Show { width: frame.width(), height: frame.height() };
                let done = mouth.tell(&order, frame.data());
                let _ = sent.send(Event::Sent(frame));
                done
            }
        };
        if done.is_err() {
            // The receiving thread learns the reason.
            return;
        }
    }
}

fn receive(mut ear: Ear, events: &Sender<Event>) {
    loop {
        let event = match ear.hear() {
            Ok(Some(message)) => Event::Said(message.value),
            Ok(None) => Event::Ended(None),
            Err(error) => Event::Ended(Some(error)),
        };
        let is_last = matches!(event, Event::Ended(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}
