//! What many idle workers cost a coordinator: connections that say that they live, and wait.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use agon_remote::fleet::{
    Abilities, VERSION,
    message::{Lately, WorkerMessage},
};
use async_nats::jetstream::{
    self,
    consumer::{PullConsumer, pull},
};
use futures_util::StreamExt;
use tokio::time::{interval, sleep};

use crate::{
    cpu::cpu_of,
    plan,
    programs::{Programs, Server},
};

/// How often a worker without matches says that it lives.
const BEAT: Duration = Duration::from_secs(15);

/// For how long it is watched.
const WATCHED: Duration = Duration::from_secs(30);

/// Measures a coordinator whose matches none of the workers can play, while each of them waits at
/// two queues.
pub(crate) fn measure(programs: &Programs, server: &Server, workers: usize) {
    programs.write("plan.toml", &plan("\"builtin:random\", \"builtin:greedy\"", 3, 10));
    let run = programs.start(&server.run("idle"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (share, pulls) = runtime.block_on(async {
        let mut connected = Vec::new();
        for number in 0..workers {
            connected.push(async_nats::connect(&server.address).await.unwrap());
            if number == 0 {
                make_queues(&connected[0]).await;
            }
        }
        for (number, client) in connected.iter().enumerate() {
            let beating = client.clone();
            tokio::spawn(async move {
                sleep(BEAT.mul_f64((number % 100) as f64 / 100.0)).await;
                let mut again = interval(BEAT);
                let text = serde_json::to_vec(&message(number)).unwrap();
                loop {
                    again.tick().await;
                    beating.publish("agon.beats", text.clone().into()).await.unwrap();
                }
            });
            for queue in ["idle-0", "idle-1"] {
                tokio::spawn(wait(client.clone(), queue));
            }
        }
        sleep(2 * BEAT).await;
        let (before, began) = (cpu_of(&run.processes()), Instant::now());
        sleep(WATCHED).await;
        let cpu = cpu_of(&run.processes()).saturating_sub(before);
        let stream = jetstream::new(connected[0].clone()).get_stream("IDLE").await.unwrap();
        let mut queue: PullConsumer = stream.get_consumer("idle-0").await.unwrap();
        let pulls = queue.info().await.unwrap().num_waiting;
        (cpu.as_secs_f64() / began.elapsed().as_secs_f64(), pulls)
    });
    run.interrupt();
    println!(
        "{workers} idle workers ({} open pulls) cost the coordinator {:.2} % of a core",
        2 * pulls,
        100.0 * share
    );
}

async fn make_queues(client: &async_nats::Client) {
    let context = jetstream::new(client.clone());
    let config = jetstream::stream::Config {
        name: "IDLE".to_owned(),
        subjects: vec!["idle.*".to_owned()],
        ..Default::default()
    };
    let stream = context.create_stream(config).await.unwrap();
    for name in ["idle-0", "idle-1"] {
        let config = pull::Config {
            durable_name: Some(name.to_owned()),
            filter_subject: format!("idle.{name}"),
            max_waiting: 100_000,
            ..Default::default()
        };
        stream.create_consumer(config).await.unwrap();
    }
}

/// Waits at a queue as a worker does.
async fn wait(client: async_nats::Client, queue: &str) {
    let stream = jetstream::new(client).get_stream("IDLE").await.unwrap();
    let consumer: PullConsumer = stream.get_consumer(queue).await.unwrap();
    loop {
        let batch = consumer.batch().max_messages(1).expires(Duration::from_secs(8));
        let mut found = batch.messages().await.unwrap();
        while found.next().await.is_some() {}
    }
}

fn message(number: usize) -> WorkerMessage {
    WorkerMessage {
        version: VERSION,
        worker: format!("idle-{number}"),
        label: "idle".to_owned(),
        agon: env!("CARGO_PKG_VERSION").to_owned(),
        slots: 2,
        playing: 0,
        played: 0,
        void: 0,
        faults: 0,
        lacking: 0,
        lately: Lately::default(),
        longest: 0,
        since: 0,
        is_draining: false,
        expires: 0,
        // It plays no game.
        abilities: Abilities { version: VERSION, ..Abilities::default() },
        held: BTreeMap::new(),
        returned: BTreeMap::new(),
    }
}
