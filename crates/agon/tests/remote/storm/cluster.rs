//! Three NATS servers that are one.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};
use std::{process::Command, thread};

use agon_testkit::nats::NatsServer;

const SERVERS: usize = 3;

/// How long the servers may take until they have a leader.
const PATIENCE: Duration = Duration::from_secs(60);

/// Three servers. They tell clients nothing of each other, so that none gets around its proxy.
pub(super) struct Cluster {
    pub(super) servers: Vec<NatsServer>,
}

impl Cluster {
    pub(super) fn start() -> Cluster {
        // Held until all are known, so that they differ.
        let free: Vec<TcpListener> =
            (0..SERVERS).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let route = |at: usize| format!("nats://{}", free[at].local_addr().unwrap());
        let routes: Vec<String> = (0..SERVERS).map(route).collect();
        drop(free);
        let server = |at: usize| {
            let own = &routes[at];
            let all = routes.join(",");
            let line = format!(
                "--name storm-{at} --cluster_name storm --cluster {own} --routes {all} \
                 --no_advertise"
            );
            NatsServer::start_with(&line.split(' ').collect::<Vec<_>>())
        };
        let cluster = Cluster { servers: (0..SERVERS).map(server).collect() };
        let began = Instant::now();
        while !cluster.ask(0, "$JS.API.INFO", "").is_some_and(|reply| reply.contains("\"memory\""))
        {
            assert!(began.elapsed() < PATIENCE, "{}", cluster.servers[0].log());
            thread::sleep(Duration::from_millis(100));
        }
        cluster
    }

    pub(super) fn ports(&self) -> Vec<u16> {
        let port = |server: &NatsServer| server.address().rsplit(':').next().unwrap().parse();
        self.servers.iter().map(|server| port(server).unwrap()).collect()
    }

    /// Kills a server, and starts it again after a while.
    pub(super) fn kill(&mut self, at: usize, pause: Duration) {
        self.servers[at].kill();
        thread::sleep(pause);
        self.servers[at].start_again();
    }

    /// Stops a server for a while, as if its machine stood still.
    pub(super) fn stop(&self, at: usize, pause: Duration) {
        let process = self.servers[at].process().to_string();
        let signal = |name: &str| {
            assert!(Command::new("kill").args([name, &process]).status().unwrap().success());
        };
        signal("-STOP");
        thread::sleep(pause);
        signal("-CONT");
    }

    /// Deletes a stream, if a server answers.
    pub(super) fn delete(&self, stream: &str) {
        for at in 0..SERVERS {
            if self.ask(at, &format!("$JS.API.STREAM.DELETE.{stream}"), "").is_some() {
                return;
            }
        }
    }

    /// Sends a request in the servers' own protocol, and returns the reply.
    fn ask(&self, at: usize, subject: &str, body: &str) -> Option<String> {
        let address = self.servers[at].address();
        let mut stream = TcpStream::connect(address.strip_prefix("nats://")?).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
        let request = format!(
            "CONNECT {{\"verbose\":false}}\r\nSUB storm.reply 1\r\nPUB {subject} storm.reply \
             {}\r\n{body}\r\n",
            body.len()
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.find(|line| line.starts_with("MSG "))?;
        lines.next()
    }
}
