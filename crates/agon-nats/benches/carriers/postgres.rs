//! A table of PostgreSQL, from which workers take rows that nobody else has locked.

use std::{cell::RefCell, rc::Rc};

use agon_testkit::postgres::TestServer;
use tokio::{task::spawn_local, time::sleep};
use tokio_postgres::{Client, NoTls, Statement};

use crate::{BYTES, Carrier, POLL, Worker, cpu::children_of};

/// Takes rows.
const TAKE: &str = "UPDATE tasks SET taken = now() WHERE id IN (SELECT id FROM tasks WHERE taken \
                    IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING id, payload";

/// As many connections as workers share: a server has a hundred by default.
const CONNECTIONS: usize = 40;

pub(crate) struct Postgres {
    server: TestServer,
    process: u32,
    client: Rc<Client>,
    /// Connections that workers share, in turn.
    shared: RefCell<Vec<Rc<Session>>>,
    next: RefCell<usize>,
}

struct Session {
    client: Client,
    take: Statement,
    done: Statement,
}

pub(crate) struct Taker(Rc<Session>);

impl Postgres {
    pub(crate) async fn start() -> Option<Postgres> {
        let server = TestServer::start()?;
        let client = connect(&server).await;
        let table = "CREATE UNLOGGED TABLE tasks (id bigserial PRIMARY KEY, payload bytea NOT \
                     NULL, taken timestamptz); CREATE INDEX ON tasks (id) WHERE taken IS NULL";
        client.batch_execute(table).await.unwrap();
        let own: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
        let text = std::fs::read_to_string(format!("/proc/{own}/stat")).unwrap();
        let (_, rest) = text.rsplit_once(") ").unwrap();
        let process = rest.split_whitespace().nth(1).unwrap().parse().unwrap();
        let (shared, next) = (RefCell::default(), RefCell::default());
        Some(Postgres { server, process, client: Rc::new(client), shared, next })
    }
}

async fn connect(server: &TestServer) -> Client {
    let address = format!("{}/postgres", server.address());
    let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
    spawn_local(async move { drop(connection.await) });
    client
}

impl Carrier for Postgres {
    type Worker = Taker;

    fn processes(&self) -> Vec<u32> {
        // Each connection has a process.
        let mut all = children_of(self.process);
        all.push(self.process);
        all
    }

    async fn publish(&self, tasks: usize) {
        let insert = "INSERT INTO tasks (payload) SELECT $1 FROM generate_series(1, $2)";
        let payload = vec![7_u8; BYTES];
        self.client.execute(insert, &[&payload, &(tasks as i32)]).await.unwrap();
    }

    async fn worker(&self) -> Taker {
        if self.shared.borrow().len() < CONNECTIONS {
            let client = connect(&self.server).await;
            let take = client.prepare(TAKE).await.unwrap();
            let done = client.prepare("DELETE FROM tasks WHERE id = ANY($1)").await.unwrap();
            let session = Rc::new(Session { client, take, done });
            self.shared.borrow_mut().push(Rc::clone(&session));
            return Taker(session);
        }
        *self.next.borrow_mut() += 1;
        let shared = self.shared.borrow();
        Taker(Rc::clone(&shared[*self.next.borrow() % shared.len()]))
    }
}

impl Worker for Taker {
    async fn take(&mut self, most: usize) -> Vec<u64> {
        let Session { client, take, .. } = &*self.0;
        let rows = client.query(take, &[&(most as i64)]).await.unwrap();
        if rows.is_empty() {
            sleep(POLL).await;
        }
        rows.iter().map(|row| row.get::<_, i64>(0).unsigned_abs()).collect()
    }

    async fn done(&mut self, tasks: &[u64]) {
        let Session { client, done, .. } = &*self.0;
        let tasks: Vec<i64> = tasks.iter().map(|task| task.cast_signed()).collect();
        client.execute(done, &[&tasks]).await.unwrap();
    }
}
