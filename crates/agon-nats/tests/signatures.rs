//! Only messages count whose senders have signed them.

use std::fs;
use std::time::{Duration, Instant};

use agon_files::parts::Message;
use agon_match::spec::SandboxLevel;
use agon_remote::{Answer, fleet::Class};
use agon_testkit::nats::PROGRAM;
use async_nats::{HeaderMap, jetstream};
use futures_util::StreamExt;

use crate::setup::{Bridge, RUN, Secured, headers};

const RESULTS: &str = "agon results";
const BEAT: &str = "agon beat";

/// Of some answers, whose results and beats came, and what people were told.
fn sorted(answers: Vec<Message<Answer>>) -> (Vec<Vec<u8>>, Vec<String>) {
    let (mut counted, mut told) = (Vec::new(), Vec::new());
    for Message { value, bytes } in answers {
        match value {
            Answer::Results | Answer::Beat => counted.push(bytes),
            Answer::Waits(text) => told.push(text),
            other => panic!("{other:?}"),
        }
    }
    (counted, told)
}

#[tokio::test]
async fn results_and_beats_count_if_a_worker_has_signed_them() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    secured.add("worker", "ada");
    let list = secured.file("revocations.jwt");
    fs::write(&list, "a.b.c").unwrap();
    let is_refused = |answer: &Message<Answer>| match &answer.value {
        Answer::Failed(said) => said.contains("has not signed it"),
        _ => false,
    };
    Bridge::start(&secured).wait_for(is_refused);
    fs::remove_file(list).unwrap();
    let bridge = Bridge::start(&secured);
    let is_told = |answer: &Message<Answer>| match &answer.value {
        Answer::Waits(said) => said.contains("revocations.jwt is missing"),
        _ => false,
    };
    bridge.wait_for(is_told);
    bridge.wait_for(|answer| matches!(answer.value, Answer::Opened { .. }));
    let (client, _refusals) = secured.connect("ada").await;
    let (ada, worker) = (secured.credentials("ada"), secured.credentials("worker"));
    let subject = format!("agon.results.{RUN}");
    let of_worker = worker.sign(RESULTS, RUN, b"last");
    let signature = of_worker.get("Agon-Signature").unwrap().as_str().to_owned();
    let sent: Vec<(&str, HeaderMap, &str)> = vec![
        (&subject, HeaderMap::new(), "unsigned"),
        (&subject, headers("a.b.c", &signature), "a stranger's"),
        // The text that names a trusted worker is no secret; its key is.
        (&subject, headers(&worker.token, &signature), "with a signature for other bytes"),
        (&subject, ada.sign(RESULTS, "fedcba9876543210", b"of another run"), "of another run"),
        (&subject, ada.sign(BEAT, "", b"a beat"), "a beat"),
        (&subject, ada.sign(RESULTS, RUN, b"right"), "right"),
        ("agon.beats", HeaderMap::new(), "unsigned"),
        ("agon.beats", ada.sign(RESULTS, RUN, b"results"), "results"),
        ("agon.beats", headers(&worker.token, &signature), "last"),
        ("agon.beats", ada.sign(BEAT, "", b"alive"), "alive"),
        (&subject, of_worker, "last"),
    ];
    for (subject, headers, payload) in sent {
        client.publish_with_headers(subject.to_owned(), headers, payload.into()).await.unwrap();
    }
    client.flush().await.unwrap();
    let mut answers = tokio::task::spawn_blocking(move || {
        let answers = bridge.heard_until(b"last");
        // Beats and results come on two ways.
        let is_beat = |answer: &Message<Answer>| matches!(answer.value, Answer::Beat);
        let late = (!answers.iter().any(is_beat)).then(|| bridge.wait_for(is_beat));
        answers.into_iter().chain(late).collect::<Vec<_>>()
    })
    .await
    .unwrap();
    answers.sort_by_key(|answer| answer.bytes.clone());
    let (counted, told) = sorted(answers);
    assert_eq!(counted, [b"alive".to_vec(), b"right".to_vec()]);
    for expected in ["is not signed", "not of the same folder", "signature is wrong"] {
        assert_eq!(told.iter().filter(|text| text.contains(expected)).count(), 1, "{told:?}");
    }
}

/// The server itself publishes stored bytes wherever a request wants its reply.
#[tokio::test]
async fn what_the_server_repeats_for_a_worker_does_not_count() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    secured.add("worker", "ada");
    let mut bridge = Bridge::open(&secured);
    let class = Class::of_game(agon_games::GameId::Cluster, SandboxLevel::Default);
    for batch in 0..4 {
        bridge.publish(batch, &class, format!("batch {batch}").as_bytes());
    }
    let (listener, _) = secured.connect("observer").await;
    let mut beats = listener.subscribe("agon.beats").await.unwrap();
    listener.flush().await.unwrap();
    let (client, mut refusals) = secured.connect("ada").await;
    let next = format!("$JS.API.CONSUMER.MSG.NEXT.AGON_JOBS.normal-{}", class.name());
    let results = format!("agon.results.{RUN}");
    for subject in [&results, "agon.beats"] {
        client.publish_with_reply(next.clone(), subject.to_owned(), "1".into()).await.unwrap();
    }
    // Its own bytes, which no request returns.
    let read = "$JS.API.DIRECT.GET.AGON_RETURNS";
    client.publish("agon.returns.x.0", "{}".into()).await.unwrap();
    client.publish_with_reply(read, results.clone(), "{\"seq\":1}".into()).await.unwrap();
    client.flush().await.unwrap();
    let repeated = beats.next().await.unwrap();
    assert_eq!(&repeated.payload[..7], b"batch 1".get(..7).unwrap());
    assert!(refusals.recv().await.unwrap().contains("AGON_RETURNS"));

    let right = secured.credentials("ada").sign(RESULTS, RUN, b"last");
    client.publish_with_headers(results, right, "last".into()).await.unwrap();
    client.flush().await.unwrap();
    let is_told = |answer: &Message<Answer>| match &answer.value {
        Answer::Waits(text) => text.contains("of another role"),
        _ => false,
    };
    let heard = tokio::task::spawn_blocking(move || {
        let mut heard = bridge.heard_until(b"last");
        // Beats and results come on two ways.
        if !heard.iter().any(is_told) {
            heard.push(bridge.wait_for(is_told));
        }
        heard
    });
    let (counted, _) = sorted(heard.await.unwrap());
    assert!(counted.is_empty(), "{counted:?}");
}

/// The server puts its reply where the message of the run's leader stands.
#[tokio::test]
async fn a_worker_cannot_take_the_lead_of_a_run() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    secured.add("worker", "ada");
    let bridge = Bridge::open(&secured);
    let (client, _refusals) = secured.connect("ada").await;
    let (coordinator, _) = secured.connect("coordinator").await;
    let runs = jetstream::new(coordinator).get_stream_no_info("AGON_RUNS").await.unwrap();
    let leader = format!("agon.runs.{RUN}");
    let list = "$JS.API.CONSUMER.LIST.AGON_JOBS";
    client.publish_with_reply(list, leader.clone(), "".into()).await.unwrap();
    client.flush().await.unwrap();
    // It stands there until the leader replaces it.
    let began = Instant::now();
    loop {
        let last = runs.get_last_raw_message_by_subject(&leader).await.unwrap();
        if last.payload.starts_with(b"{") {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{last:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let holds = |answer: &Message<Answer>| {
        assert!(!matches!(answer.value, Answer::Failed(_)), "{answer:?}");
        matches!(answer.value, Answer::Lease(_))
    };
    tokio::task::spawn_blocking(move || (0..3).for_each(|_| drop(bridge.wait_for(holds))))
        .await
        .unwrap();
    let last = runs.get_last_raw_message_by_subject(&leader).await.unwrap();
    assert!(!last.payload.starts_with(b"{"), "the leader leads: {last:?}");
}
