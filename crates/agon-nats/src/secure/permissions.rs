//! The subjects that each role may use, and no others.
//!
//! Replies come to subjects that only the user itself may listen to: otherwise workers could read
//! what others are sent. This prevents mistakes, and keeps strangers out. A user who means harm can
//! do more: the server publishes the reply to a request at any subject that the request names. So
//! messages are signed (`nats::identity`), and no worker may read what it has written, nor make
//! consumers: then no bytes of its own are in such a reply.

use agon_remote::Role;

use crate::nats::{BEATS, BLOBS, JOBS, QUEUES, RESULTS, RETURNS, ROLL_CALL, RUNS, inbox_of};

/// What a coordinator may ask of a stream, beside making it, changing it, and looking at it.
const COORDINATOR_APIS: [(&str, &[&str]); 5] = [
    (
        JOBS,
        &[
            "STREAM.PURGE.{}",
            "STREAM.MSG.GET.{}",
            "STREAM.MSG.DELETE.{}",
            "CONSUMER.CREATE.{}.>",
            "CONSUMER.INFO.{}.*",
        ],
    ),
    (
        RESULTS,
        &[
            "STREAM.PURGE.{}",
            "CONSUMER.CREATE.{}.>",
            "CONSUMER.INFO.{}.*",
            "CONSUMER.DELETE.{}.*",
            "CONSUMER.MSG.NEXT.{}.*",
        ],
    ),
    (RUNS, &["STREAM.MSG.GET.{}", "STREAM.MSG.DELETE.{}"]),
    (BLOBS, &["STREAM.PURGE.{}", "DIRECT.GET.{}", "DIRECT.GET.{}.>"]),
    (RETURNS, &["STREAM.PURGE.{}", "DIRECT.GET.{}", "DIRECT.GET.{}.>"]),
];

/// What a worker may ask of the stream of batches, and of the store of bots.
const WORKER_APIS: [(&str, &[&str]); 2] = [
    (JOBS, &["CONSUMER.LIST.{}", "CONSUMER.INFO.{}.*", "CONSUMER.MSG.NEXT.{}.*"]),
    (BLOBS, &["STREAM.INFO.{}", "DIRECT.GET.{}", "DIRECT.GET.{}.>"]),
];

/// Returns the subjects to which a user with this public key may publish, and those to which it
/// may subscribe. An empty list would allow all.
pub(super) fn permissions(role: Role, user: &str) -> (Vec<String>, Vec<String>) {
    let own = |subjects: &[&str]| subjects.iter().map(|&subject| subject.to_owned()).collect();
    let inbox = format!("{}.>", inbox_of(user));
    match role {
        Role::Coordinator => {
            let subjects = [
                "agon.jobs.>",
                "agon.runs.*",
                "agon.status.*",
                QUEUES,
                ROLL_CALL,
                "$O.agon-blobs.>",
            ];
            let mut all: Vec<String> = own(&subjects);
            for (stream, more) in COORDINATOR_APIS {
                let making = ["STREAM.CREATE.{}", "STREAM.UPDATE.{}", "STREAM.INFO.{}"];
                all.extend(making.iter().chain(more).map(|name| api(name, stream)));
            }
            all.extend(acknowledgements(RESULTS));
            (all, own(&[BEATS, &inbox]))
        }
        Role::Worker => {
            let mut all: Vec<String> = own(&[BEATS, "agon.results.*", "agon.returns.*.*"]);
            for (stream, names) in WORKER_APIS {
                all.extend(names.iter().map(|name| api(name, stream)));
            }
            all.extend(acknowledgements(JOBS));
            (all, own(&[QUEUES, ROLL_CALL, &inbox]))
        }
        Role::Observer => (own(&[ROLL_CALL]), own(&[BEATS, "agon.status.*", &inbox])),
    }
}

/// Returns the subject of a request about a stream.
fn api(name: &str, stream: &str) -> String {
    format!("$JS.API.{}", name.replace("{}", stream))
}

/// Acknowledgements of messages of a stream, also in the longer form of newer servers, which begins
/// with domain and account.
fn acknowledgements(stream: &str) -> [String; 2] {
    [format!("$JS.ACK.{stream}.>"), format!("$JS.ACK.*.*.{stream}.>")]
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn nobody_may_use_all_subjects_or_listen_to_the_replies_to_others() {
        for role in Role::value_variants().iter().copied() {
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
