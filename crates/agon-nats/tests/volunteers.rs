//! What volunteers can do, and what they cannot.

use agon_core::Seed;
use agon_games::{GameId, cluster::Cluster};
use agon_queue::{
    Audience, Class, JobKey, Owner, VERSION,
    message::{BatchMessage, JobMessage, read_results},
};
use agon_remote::{Answer, Order};
use agon_spec::{BuiltinSeat, Digest, MatchSettings, MatchSpec, SandboxLevel, Seat, SeatBot};
use agon_testkit::nats::PROGRAM;
use async_nats::jetstream;
use serde_json::Value;
use tokio::time::{Duration, timeout};

use crate::setup::{Bridge, RUN, Secured};

/// Returns a batch with one match of built-in bots.
fn batch(number: u64, avoid: &[&str]) -> (Class, Vec<u8>) {
    let settings = MatchSettings::default();
    let base = MatchSpec::new::<Cluster>(GameId::Cluster, &Default::default(), settings);
    let builtin = BuiltinSeat { bot: "random".to_owned(), params: [].into(), version: 1 };
    let seat = |name: &str| Seat { name: name.to_owned(), bot: SeatBot::Builtin(builtin.clone()) };
    let key = JobKey(Digest::of(&number.to_le_bytes()));
    let class = Class::of_game(GameId::Cluster, SandboxLevel::Default);
    let message = BatchMessage {
        version: VERSION,
        run: RUN.to_owned(),
        batch: number,
        class: class.clone(),
        base,
        seats: vec![seat("ada"), seat("bob")],
        avoid: avoid.iter().map(|name| (*name).to_owned()).collect(),
        jobs: vec![JobMessage { key, seed: Seed(number), repetition: 0, seats: vec![1, 0] }],
    };
    (class, serde_json::to_vec(&message).unwrap())
}

/// Waits for the next results, and returns whose they are, of which match, and how it ended.
fn next_results(bridge: &Bridge) -> (Owner, JobKey, String) {
    let is_it = |answer: &agon_parts::Message<Answer>| {
        assert!(!matches!(answer.value, Answer::Waits(_)), "{answer:?}");
        matches!(answer.value, Answer::Results { .. })
    };
    let answer = bridge.wait_for(is_it);
    let Answer::Results { owner } = answer.value else { unreachable!() };
    let (message, _) = read_results(&answer.bytes).unwrap();
    let result = &message.results[0];
    (owner, result.key, format!("{:?}", result.ending))
}

#[test]
fn volunteers_play_open_matches_and_trusted_workers_play_all() {
    agon_testkit::slow!();
    let secured = Secured::start();
    for name in ["ada", "bob"] {
        secured.add("volunteer", name);
    }
    let ada = || Owner::Volunteer("ada".to_owned());
    let key = |number: u64| JobKey(Digest::of(&number.to_le_bytes()));
    let mut bridge = Bridge::open(&secured);
    let worker = secured.worker("ada");
    worker.wait_until_it_says("it is a volunteer's, of ada");
    let publish = |bridge: &mut Bridge, number: u64, audience, avoid: &[&str]| {
        let (class, bytes) = batch(number, avoid);
        bridge.publish(number, audience, &class, &bytes)
    };
    let trusted = publish(&mut bridge, 1, Audience::Trusted, &[]);
    publish(&mut bridge, 2, Audience::Everybody, &[]);
    let (owner, found, ending) = next_results(&bridge);
    assert_eq!((owner, found), (ada(), key(2)));
    assert!(ending.starts_with("Played"), "{ending}");
    let beat = bridge.wait_for(|answer| matches!(answer.value, Answer::Beat { .. }));
    assert_eq!(beat.value, Answer::Beat { owner: ada() });

    // Another volunteer must play this one.
    let avoided = publish(&mut bridge, 3, Audience::Everybody, &["ada"]);
    let passed = bridge.wait_for(|answer| {
        let said = String::from_utf8_lossy(&answer.bytes);
        matches!(answer.value, Answer::Beat { .. }) && said.contains("\"returned\"")
    });
    assert_eq!(passed.value, Answer::Beat { owner: ada() });
    assert!(bridge.has(3, avoided) && bridge.has(1, trusted));
    assert!(!bridge.has(2, trusted), "the name of a batch counts, too");
    let _other = secured.worker("bob");
    let (owner, found, _) = next_results(&bridge);
    assert_eq!((owner, found), (Owner::Volunteer("bob".to_owned()), key(3)));
    // It has not used up what ada wants.
    publish(&mut bridge, 4, Audience::Everybody, &["bob"]);
    assert_eq!(next_results(&bridge).0, ada());

    let status = secured.flags("observer");
    let mut args = vec!["status".to_owned(), secured.address(), "--json".to_owned()];
    args.extend(status);
    let shown = std::process::Command::new(crate::PROGRAM).args(&args).output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let mut names: Vec<&str> = shown["workers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w["worker"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert!(names[0].starts_with("ada/ada-") && names[1].starts_with("bob/bob-"), "{names:?}");

    drop(worker);
    let _trusted = secured.worker("worker");
    let (owner, found, _) = next_results(&bridge);
    assert_eq!((owner, found), (Owner::Trusted, key(1)));
    publish(&mut bridge, 5, Audience::Everybody, &["ada", "bob"]);
    assert_eq!(next_results(&bridge).0, Owner::Trusted);
    // What nobody has played is gone with the run.
    let left = publish(&mut bridge, 6, Audience::Trusted, &[]);
    bridge.tell(&Order::Remove { batch: 6, place: left }, &[]);
    assert!(!bridge.has(6, left));
}

#[tokio::test]
async fn a_volunteer_reads_public_bots_and_nothing_else() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    secured.add("volunteer", "ada");
    let mut bridge = Bridge::open(&secured);
    for (audience, bytes) in [(Audience::Trusted, "secret"), (Audience::Everybody, "public")] {
        let digest = Digest::of(bytes.as_bytes());
        bridge.tell(&Order::Blob { digest, audience }, bytes.as_bytes());
    }
    for (number, audience) in [(1, Audience::Trusted), (2, Audience::Everybody)] {
        let (class, bytes) = batch(number, &[]);
        bridge.publish(number, audience, &class, &bytes);
    }
    let (client, mut refusals) = secured.connect("ada").await;
    let context = jetstream::new(client.clone());
    let store = context.get_object_store("agon-public").await.unwrap();
    let public = Digest::of(b"public");
    let info = store.info(format!("bot-{public}")).await.unwrap();
    let stream = context.get_stream("OBJ_agon-public").await.unwrap();
    let subject = format!("$O.agon-public.C.{}", info.nuid);
    let part = stream.direct_get_next_for_subject(subject, None).await.unwrap();
    assert_eq!(&part.payload[..], b"public");

    let (class, _) = batch(1, &[]);
    let queue = format!("normal-{}", class.name());
    let store = "$O.agon-public.M.x".to_owned();
    let forbidden = [
        format!("agon.jobs.normal.{}.{RUN}", class.name()),
        format!("agon.open.normal.{}.{RUN}", class.name()),
        format!("agon.runs.{RUN}"),
        format!("agon.status.{RUN}"),
        "agon.queues".to_owned(),
        store.clone(),
        store.replace("public", "blobs"),
        format!("$JS.API.CONSUMER.MSG.NEXT.AGON_JOBS.{queue}"),
        format!("$JS.API.CONSUMER.INFO.AGON_JOBS.{queue}"),
        format!("$JS.API.CONSUMER.DELETE.AGON_OPEN.{queue}"),
        format!("$JS.API.CONSUMER.CREATE.AGON_OPEN.{queue}"),
        format!("$JS.API.CONSUMER.MSG.NEXT.AGON_RESULTS.{RUN}"),
    ]
    .into_iter()
    .chain(
        ["AGON_JOBS", "AGON_RESULTS", "AGON_RUNS", "AGON_RETURNS", "OBJ_agon-blobs"]
            .iter()
            .flat_map(|stream| {
                let apis = ["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET", "CONSUMER.LIST"];
                apis.map(|api| format!("$JS.API.{api}.{stream}"))
            }),
    )
    .chain(
        ["CREATE", "UPDATE", "DELETE", "PURGE"]
            .map(|api| format!("$JS.API.STREAM.{api}.OBJ_agon-public")),
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
    let (class, bytes) = batch(1, &[]);
    let later = Class { version: VERSION + 1, ..class.clone() };
    let left = bridge.publish(1, Audience::Trusted, &later, &bytes);
    let text = format!("it is for version {} of Agon's queue", VERSION + 1);
    worker.wait_until_it_says(&text);
    bridge.publish(2, Audience::Trusted, &class, &batch(2, &[]).1);
    assert_eq!(next_results(&bridge).1, JobKey(Digest::of(&2_u64.to_le_bytes())));
    assert!(bridge.has(1, left), "nobody has taken it");
}
