//! Who leads a run: the server keeps the last message of each.

use anyhow::{Result, anyhow, bail};
use async_nats::jetstream::{
    context::PublishErrorKind, message::PublishMessage, stream::LastRawMessageErrorKind,
};

use super::{
    connection::{Nats, RUNS},
    identity::Purpose,
};

/// Who leads a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leader {
    /// The number of the message that says so.
    pub(crate) place: u64,
    pub(crate) name: String,
    /// Whether a coordinator has said so. Others can have the server put messages there.
    pub(crate) is_signed: bool,
}

impl Nats {
    /// Returns who leads a run.
    pub(crate) async fn leader(&self, run: &str) -> Result<Option<Leader>> {
        let stream = self.stream(RUNS).await?;
        match stream.get_last_raw_message_by_subject(&format!("agon.runs.{run}")).await {
            Ok(found) => {
                let name = String::from_utf8_lossy(&found.payload).into_owned();
                let purpose = Purpose::Lead { run };
                let checked = self.check(purpose, &found.payload, Some(&found.headers));
                let is_signed = checked.is_ok();
                Ok(Some(Leader { place: found.sequence, name, is_signed }))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => bail!("nobody knows who leads this run: {error}"),
        }
    }

    /// Leads a run, if nobody has said anything about it since the message at `place`; 0 if there
    /// was none. Returns the new place; `None` if somebody was faster.
    pub(crate) async fn lead(&self, run: &str, name: &str, place: u64) -> Result<Option<u64>> {
        let message = PublishMessage::build()
            .payload(name.to_owned().into())
            .headers(self.signed(Purpose::Lead { run }, name.as_bytes()))
            .expected_last_subject_sequence(place);
        let sent = self.context.send_publish(format!("agon.runs.{run}"), message).await;
        match sent.map_err(|error| anyhow!("{error}"))?.await {
            Ok(taken) => Ok(Some(taken.sequence)),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(None),
            Err(error) => bail!("{error}"),
        }
    }

    /// Leads a run no more.
    pub(crate) async fn resign(&self, place: u64) {
        if let Ok(stream) = self.stream(RUNS).await {
            // It is over after its time, too.
            let _ = stream.delete_message(place).await;
        }
    }
}
