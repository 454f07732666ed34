//! NATS JetStream: a stream in memory, from which workers pull.

use std::{collections::HashMap, time::Duration};

use agon_testkit::nats::NatsServer;
use async_nats::jetstream::{
    self, Context, Message,
    consumer::{AckPolicy, PullConsumer, pull},
    stream::{Config, RetentionPolicy, StorageType},
};
use futures_util::{StreamExt, future::join_all};

use crate::{BYTES, Carrier, Worker};

pub(crate) struct Nats {
    server: NatsServer,
    context: Context,
}

pub(crate) struct Puller {
    consumer: PullConsumer,
    taken: HashMap<u64, Message>,
}

impl Nats {
    pub(crate) async fn start() -> Nats {
        let server = NatsServer::start();
        let context = context(&server).await;
        let stream = Config {
            name: "TASKS".to_owned(),
            subjects: vec!["tasks".to_owned()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::Memory,
            ..Config::default()
        };
        context.create_stream(stream).await.unwrap();
        Nats { server, context }
    }
}

async fn context(server: &NatsServer) -> Context {
    jetstream::new(async_nats::connect(server.address()).await.unwrap())
}

impl Carrier for Nats {
    type Worker = Puller;

    fn processes(&self) -> Vec<u32> {
        vec![self.server.process()]
    }

    async fn publish(&self, tasks: usize) {
        for first in (0..tasks).step_by(256) {
            let part = first..tasks.min(first + 256);
            let sent = join_all(part.map(|_| self.context.publish("tasks", vec![7; BYTES].into())));
            let taken = sent.await.into_iter().map(|sent| async { sent.unwrap().await.unwrap() });
            join_all(taken).await;
        }
    }

    async fn worker(&self) -> Puller {
        let config = pull::Config {
            durable_name: Some("workers".to_owned()),
            ack_policy: AckPolicy::Explicit,
            max_ack_pending: 100_000,
            max_waiting: 100_000,
            ..pull::Config::default()
        };
        let stream = context(&self.server).await.get_stream("TASKS").await.unwrap();
        let consumer = stream.get_or_create_consumer("workers", config).await.unwrap();
        Puller { consumer, taken: HashMap::new() }
    }
}

impl Worker for Puller {
    async fn take(&mut self, most: usize) -> Vec<u64> {
        // What is there at once; if there is nothing, the next one.
        let mut found = self.consumer.fetch().max_messages(most).messages().await.unwrap();
        let mut all = Vec::new();
        while let Some(message) = found.next().await {
            all.push(message.unwrap());
        }
        if all.is_empty() {
            let wait = self.consumer.batch().max_messages(1).expires(Duration::from_secs(8));
            let mut found = wait.messages().await.unwrap();
            while let Some(message) = found.next().await {
                all.push(message.unwrap());
            }
        }
        let number = |message: Message| {
            let number = message.info().unwrap().stream_sequence;
            self.taken.insert(number, message);
            number
        };
        all.into_iter().map(number).collect()
    }

    async fn done(&mut self, tasks: &[u64]) {
        for task in tasks {
            self.taken.remove(task).unwrap().ack().await.unwrap();
        }
    }
}
