//! The subjects that each role may use, and no others.
//!
//! Replies come to subjects that only the user itself may listen to: otherwise workers could read
//! what others are sent. This prevents mistakes, and keeps strangers out. It does not stop a user
//! who means harm: the server publishes the reply to a request at any subject that the request
//! names.

use agon_remote::Role;

use crate::nats::{BEATS, BLOBS_STREAM, JOBS, QUEUES, RESULTS, RUNS, inbox_of};

/// Returns the subjects to which a user with this public key may publish, and those to which it
/// may subscribe. An empty list would allow all: who publishes nothing may publish to itself.
pub(super) fn permissions(role: Role, user: &str) -> (Vec<String>, Vec<String>) {
    let inbox = format!("{}.>", inbox_of(user));
    match role {
        Role::Coordinator => {
            let mut publish: Vec<String> =
                ["agon.jobs.>", "agon.runs.*", "agon.status.*", QUEUES, "$O.agon-blobs.>"]
                    .map(str::to_owned)
                    .into();
            for stream in [JOBS, RESULTS, RUNS, BLOBS_STREAM] {
                publish.extend(coordinator_of(stream));
            }
            publish.extend(acknowledgements(RESULTS));
            (publish, vec![BEATS.to_owned(), inbox])
        }
        Role::Worker => {
            let mut publish: Vec<String> =
                [BEATS, "agon.results.*", "$O.agon-blobs.>"].map(str::to_owned).into();
            publish.extend([
                format!("$JS.API.STREAM.INFO.{JOBS}"),
                format!("$JS.API.CONSUMER.LIST.{JOBS}"),
                format!("$JS.API.CONSUMER.INFO.{JOBS}.*"),
                format!("$JS.API.CONSUMER.MSG.NEXT.{JOBS}.*"),
            ]);
            publish.extend(acknowledgements(JOBS));
            publish.extend(reader_of(BLOBS_STREAM));
            (publish, vec![QUEUES.to_owned(), inbox])
        }
        Role::Observer => {
            (vec![inbox.clone()], vec![BEATS.to_owned(), "agon.status.*".to_owned(), inbox])
        }
    }
}

/// Acknowledgements of messages of a stream, also in the longer form of newer servers, which begins
/// with domain and account.
fn acknowledgements(stream: &str) -> [String; 2] {
    [format!("$JS.ACK.{stream}.>"), format!("$JS.ACK.*.*.{stream}.>")]
}

/// All requests about a stream but its removal.
fn coordinator_of(stream: &str) -> Vec<String> {
    let own = [
        "STREAM.CREATE.{}",
        "STREAM.PURGE.{}",
        "STREAM.MSG.DELETE.{}",
        "CONSUMER.LIST.{}",
        "CONSUMER.MSG.NEXT.{}.*",
    ];
    let own = own.iter().map(|api| format!("$JS.API.{}", api.replace("{}", stream)));
    own.chain(reader_of(stream)).collect()
}

/// What it takes to read a stream.
fn reader_of(stream: &str) -> Vec<String> {
    let api = [
        "STREAM.INFO.{}",
        "STREAM.MSG.GET.{}",
        "DIRECT.GET.{}",
        "DIRECT.GET.{}.>",
        "CONSUMER.CREATE.{}",
        "CONSUMER.CREATE.{}.>",
        "CONSUMER.INFO.{}.*",
        "CONSUMER.DELETE.{}.*",
    ];
    let api = api.iter().map(|api| format!("$JS.API.{}", api.replace("{}", stream)));
    api.chain([format!("$JS.FC.{stream}.>"), format!("$JS.FC.*.*.{stream}.>")]).collect()
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
        let (publish, _) = permissions(Role::Worker, "UADA");
        assert!(!publish.iter().any(|subject| subject.starts_with("agon.jobs")));
    }
}
