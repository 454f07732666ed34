//! The subjects that each role may use, and no others.
//!
//! Replies come to subjects that only the user itself may listen to: otherwise workers could read
//! what others are sent. This prevents mistakes, and keeps strangers out. A user who means harm can
//! do more: the server publishes the reply to a request at any subject that the request names. So
//! messages are signed (`nats::identity`), and no worker may read what it has written, nor make
//! consumers: then no bytes of its own are in such a reply.

use agon_remote::Role;

use crate::nats::{BEATS, BLOBS, JOBS, QUEUES, RESULTS, RETURNS, ROLL_CALL, RUNS, inbox_of};

/// Requests of a coordinator about a stream of batches.
const JOBS_APIS: [&str; 8] = [
    "STREAM.CREATE.{}",
    "STREAM.UPDATE.{}",
    "STREAM.INFO.{}",
    "STREAM.PURGE.{}",
    "STREAM.MSG.GET.{}",
    "STREAM.MSG.DELETE.{}",
    "CONSUMER.CREATE.{}.>",
    "CONSUMER.INFO.{}.*",
];

/// Requests of a coordinator about the stream of results.
const RESULTS_APIS: [&str; 8] = [
    "STREAM.CREATE.{}",
    "STREAM.UPDATE.{}",
    "STREAM.INFO.{}",
    "STREAM.PURGE.{}",
    "CONSUMER.CREATE.{}.>",
    "CONSUMER.INFO.{}.*",
    "CONSUMER.DELETE.{}.*",
    "CONSUMER.MSG.NEXT.{}.*",
];

/// Requests of a coordinator about the stream of leaders.
const RUNS_APIS: [&str; 5] = [
    "STREAM.CREATE.{}",
    "STREAM.UPDATE.{}",
    "STREAM.INFO.{}",
    "STREAM.MSG.GET.{}",
    "STREAM.MSG.DELETE.{}",
];

/// Requests of a coordinator about a store.
const STORE_APIS: [&str; 6] = [
    "STREAM.CREATE.{}",
    "STREAM.UPDATE.{}",
    "STREAM.INFO.{}",
    "STREAM.PURGE.{}",
    "DIRECT.GET.{}",
    "DIRECT.GET.{}.>",
];

/// Requests of a worker about a stream of batches.
const TAKER_APIS: [&str; 3] = ["CONSUMER.LIST.{}", "CONSUMER.INFO.{}.*", "CONSUMER.MSG.NEXT.{}.*"];

/// Requests of a worker about a store of bots.
const READER_APIS: [&str; 3] = ["STREAM.INFO.{}", "DIRECT.GET.{}", "DIRECT.GET.{}.>"];

/// Returns the subjects to which a user with this public key may publish, and those to which it
/// may subscribe. An empty list would allow all.
pub(super) fn permissions(role: Role, user: &str) -> (Vec<String>, Vec<String>) {
    let inbox = format!("{}.>", inbox_of(user));
    match role {
        Role::Coordinator => (coordinator(), vec![BEATS.to_owned(), inbox]),
        Role::Worker => (worker(), vec![QUEUES.to_owned(), ROLL_CALL.to_owned(), inbox]),
        Role::Observer => {
            let heard = vec![BEATS.to_owned(), "agon.status.*".to_owned(), inbox];
            (vec![ROLL_CALL.to_owned()], heard)
        }
    }
}

fn coordinator() -> Vec<String> {
    let mut all: Vec<String> =
        ["agon.jobs.>", "agon.runs.*", "agon.status.*", QUEUES, ROLL_CALL, "$O.agon-blobs.>"]
            .map(str::to_owned)
            .into();
    all.extend(apis(&JOBS_APIS, JOBS));
    all.extend(apis(&STORE_APIS, BLOBS));
    all.extend(apis(&RESULTS_APIS, RESULTS));
    all.extend(apis(&RUNS_APIS, RUNS));
    all.extend(apis(&STORE_APIS, RETURNS));
    all.extend(acknowledgements(RESULTS));
    all
}

fn worker() -> Vec<String> {
    let mut all: Vec<String> =
        [BEATS, "agon.results.*", "agon.returns.*.*"].map(str::to_owned).into();
    all.extend(apis(&TAKER_APIS, JOBS));
    all.extend(acknowledgements(JOBS));
    all.extend(apis(&READER_APIS, BLOBS));
    all
}

/// Acknowledgements of messages of a stream, also in the longer form of newer servers, which begins
/// with domain and account.
fn acknowledgements(stream: &str) -> [String; 2] {
    [format!("$JS.ACK.{stream}.>"), format!("$JS.ACK.*.*.{stream}.>")]
}

/// Returns requests about a stream.
fn apis(names: &[&str], stream: &str) -> impl Iterator<Item = String> {
    names.iter().map(move |name| format!("$JS.API.{}", name.replace("{}", stream)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_may_use_all_subjects_or_listen_to_the_replies_to_others() {
        for role in Role::ALL {
            let (publish, subscribe) = permissions(role, "UADA");
            assert!(!publish.is_empty() && !subscribe.is_empty(), "an empty list allows all");
            for subject in publish.iter().chain(&subscribe) {
                assert!(subject != ">" && subject != "$JS.API.>" && subject != "_INBOX.>");
                assert!(!subject.contains("STREAM.DELETE"), "{role:?}: {subject}");
            }
            let inbox = subscribe.iter().find(|subject| subject.starts_with("_INBOX"));
            assert_eq!(inbox.map(String::as_str), Some("_INBOX.UADA.>"));
        }
        let (publish, subscribe) = permissions(Role::Worker, "UADA");
        for forbidden in ["agon.jobs", "$O.", "CONSUMER.CREATE", "GET.AGON_"] {
            assert_eq!(publish.iter().find(|subject| subject.contains(forbidden)), None);
        }
        assert!(!subscribe.iter().any(|subject| subject == BEATS));
    }
}
