//! What workers can do, and what they cannot.

use agon_core::Seed;
use agon_games::GameId;
use agon_match::spec::{
    BuiltinSeat, Digest, MatchSettings, MatchSpec, SandboxLevel, Seat, SeatBot,
};
use agon_remote::fleet::message::{BatchMessage, JobMessage, read_results};
use agon_remote::fleet::{Class, JobKey, VERSION};
use agon_remote::{Answer, Order};
use agon_testkit::nats::PROGRAM;
use async_nats::jetstream;
use tokio::time::{Duration, timeout};

use crate::setup::{Bridge, RUN, Secured};

fn key(number: u64) -> JobKey {
    JobKey(Digest::of(&number.to_le_bytes()))
}

/// Returns a batch with one match of built-in bots.
fn batch(number: u64) -> (Class, Vec<u8>) {
    let rules = GameId::Cluster.kind().default_rules();
    let base = MatchSpec::new(GameId::Cluster, rules, MatchSettings::default());
    let builtin = BuiltinSeat { bot: "random".to_owned(), params: [].into(), version: 1 };
    let seat = |name: &str| Seat { name: name.to_owned(), bot: SeatBot::Builtin(builtin.clone()) };
    let key = key(number);
    let class = Class::of_game(GameId::Cluster, SandboxLevel::Default);
    let message = BatchMessage {
        version: VERSION,
        run: RUN.to_owned(),
        batch: number,
        class: class.clone(),
        base,
        seats: vec![seat("ada"), seat("bob")],
        jobs: vec![JobMessage { key, seed: Seed(number), repetition: 0, seats: vec![1, 0] }],
    };
    (class, serde_json::to_vec(&message).unwrap())
}

/// Waits for the next results, and returns who has played, which match, and how it ended.
fn next_results(bridge: &Bridge) -> (String, JobKey, String) {
    let is_it = |answer: &agon_files::parts::Message<Answer>| {
        assert!(!matches!(answer.value, Answer::Waits(_)), "{answer:?}");
        answer.value == Answer::Results
    };
    let answer = bridge.wait_for(is_it);
    let (message, _) = read_results(&answer.bytes).unwrap();
    let result = &message.results[0];
    (message.worker, result.key, format!("{:?}", result.ending))
}

#[test]
fn a_worker_plays_what_is_published_and_what_is_removed_is_gone() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    let mut bridge = Bridge::open(&secured);
    let _worker = secured.worker("worker");
    let (class, bytes) = batch(1);
    let played = bridge.publish(1, &class, &bytes);
    let (name, found, ending) = next_results(&bridge);
    assert_eq!(found, key(1));
    assert!(name.starts_with("worker-") && ending.starts_with("Played"), "{name} {ending}");
    // Nobody can play it.
    let later = Class { version: VERSION + 1, ..class };
    let left = bridge.publish(3, &later, &batch(3).1);
    assert!(bridge.has(3, left) && !bridge.has(3, played), "the name of a batch counts, too");
    bridge.tell(&Order::Remove { batch: 3, place: left }, &[]);
    assert!(!bridge.has(3, left));
}

/// Otherwise the same message would stop each worker, again and again.
#[tokio::test]
async fn batches_that_nobody_can_use_are_dropped_once_and_stop_nothing() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    let mut bridge = Bridge::open(&secured);
    let (class, bytes) = batch(1);
    // It makes the queue.
    bridge.publish(1, &class, &bytes);
    let (client, _refusals) = secured.connect("coordinator").await;
    let subject = format!("agon.jobs.normal.{}.{RUN}", class.name());
    let coordinator = secured.credentials("coordinator");
    for number in 0..60 {
        let signed = coordinator.sign("agon batch", "", b"no batch");
        let (headers, payload) = match number % 3 {
            0 => (async_nats::HeaderMap::new(), ""),
            1 => (async_nats::HeaderMap::new(), "unsigned"),
            _ => (signed, "no batch"),
        };
        client.publish_with_headers(subject.clone(), headers, payload.into()).await.unwrap();
    }
    client.flush().await.unwrap();
    let stream = jetstream::new(client).get_stream("AGON_JOBS").await.unwrap();
    assert_eq!(stream.get_info().await.unwrap().state.messages, 61);
    bridge.publish(2, &class, &batch(2).1);
    let worker = secured.worker("worker");
    let began = std::time::Instant::now();
    let found = tokio::task::spawn_blocking(move || {
        let found = [next_results(&bridge).1, next_results(&bridge).1];
        (found, bridge)
    });
    let (found, _bridge) = timeout(Duration::from_secs(60), found).await.unwrap().unwrap();
    assert_eq!(found, [1, 2].map(key));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    worker.wait_until_it_says("it is not signed");
    worker.wait_until_it_says("dropped a batch of matches: a message cannot be read");
    while stream.get_info().await.unwrap().state.messages > 0 {
        assert!(began.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn a_worker_reads_bots_and_publishes_nothing_but_results() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    let mut bridge = Bridge::open(&secured);
    let bot = Digest::of(b"a bot");
    bridge.tell(&Order::Blob(bot), b"a bot");
    let (class, bytes) = batch(1);
    bridge.publish(1, &class, &bytes);
    let (client, mut refusals) = secured.connect("worker").await;
    let context = jetstream::new(client.clone());
    let store = context.get_object_store("agon-blobs").await.unwrap();
    let info = store.info(format!("bot-{bot}")).await.unwrap();
    let stream = context.get_stream("OBJ_agon-blobs").await.unwrap();
    let subject = format!("$O.agon-blobs.C.{}", info.nuid);
    let part = stream.direct_get_next_for_subject(subject, None).await.unwrap();
    assert_eq!(&part.payload[..], b"a bot");

    let queue = format!("normal-{}", class.name());
    let forbidden = [
        format!("agon.jobs.normal.{}.{RUN}", class.name()),
        format!("agon.runs.{RUN}"),
        format!("agon.status.{RUN}"),
        "agon.queues".to_owned(),
        "$O.agon-blobs.M.x".to_owned(),
        format!("$JS.API.CONSUMER.DELETE.AGON_JOBS.{queue}"),
        format!("$JS.API.CONSUMER.CREATE.AGON_JOBS.{queue}"),
        format!("$JS.API.CONSUMER.MSG.NEXT.AGON_RESULTS.{RUN}"),
    ]
    .into_iter()
    .chain(["AGON_RESULTS", "AGON_RUNS", "AGON_RETURNS"].iter().flat_map(|stream| {
        let apis = ["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET", "CONSUMER.LIST"];
        apis.map(|api| format!("$JS.API.{api}.{stream}"))
    }))
    .chain(
        ["CREATE", "UPDATE", "DELETE", "PURGE"]
            .map(|api| format!("$JS.API.STREAM.{api}.OBJ_agon-blobs")),
    );
    for subject in forbidden {
        client.publish(subject.clone(), "{}".into()).await.unwrap();
        let refused = timeout(Duration::from_secs(20), refusals.recv()).await;
        let refused = refused.unwrap_or_else(|_| panic!("{subject} is allowed")).unwrap();
        assert!(refused.contains(&format!("Publish to \"{subject}\"")), "{refused}");
    }
    for subject in ["agon.beats", "agon.results.*", "agon.status.*", "$O.>", ">", "_INBOX.>"] {
        let _subscriber = client.subscribe(subject).await.unwrap();
        let refused = timeout(Duration::from_secs(20), refusals.recv()).await;
        let refused = refused.unwrap_or_else(|_| panic!("{subject} is allowed")).unwrap();
        assert!(refused.contains(&format!("Subscription to \"{subject}\"")), "{refused}");
    }
    drop(bridge);
}

/// A coordinator of a later version, whose matches these workers cannot read.
#[test]
fn a_worker_leaves_matches_of_another_version_and_says_so() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    let mut bridge = Bridge::open(&secured);
    let worker = secured.worker("worker");
    let (class, bytes) = batch(1);
    let later = Class { version: VERSION + 1, ..class.clone() };
    let left = bridge.publish(1, &later, &bytes);
    let text = format!("it is for version {} of Agon's queue", VERSION + 1);
    worker.wait_until_it_says(&text);
    bridge.publish(2, &class, &batch(2).1);
    assert_eq!(next_results(&bridge).1, key(2));
    assert!(bridge.has(1, left), "nobody has taken it");
}
