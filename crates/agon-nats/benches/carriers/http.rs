//! Requests over HTTP: workers ask for tasks, and ask again later if there is none. The server is a
//! process of its own, keeps everything in memory, and checks nothing.

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    convert::Infallible,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    rc::Rc,
};

use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream},
    net::{TcpListener, TcpStream},
    task::{LocalSet, spawn_local},
    time::sleep,
};

use crate::{BYTES, Carrier, POLL, Worker};

/// What is between the numbers of tasks in a reply.
const BLANK: char = ' ';

#[derive(Default)]
struct Tasks {
    waiting: VecDeque<u64>,
    taken: HashMap<u64, ()>,
    last: u64,
}

/// Serves tasks at a free port, which it prints.
pub(crate) fn serve(_mark: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{}", listener.local_addr().unwrap());
        let tasks = Rc::new(RefCell::new(Tasks::default()));
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let tasks = Rc::clone(&tasks);
            let service = service_fn(move |request| {
                let reply = reply(&mut tasks.borrow_mut(), &request);
                async move { Ok::<_, Infallible>(Response::new(reply)) }
            });
            spawn_local(async move {
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
}

/// Answers `/publish/N`, `/take/N` and `/done/TASK,TASK`.
fn reply(tasks: &mut Tasks, request: &Request<Incoming>) -> String {
    let mut parts = request.uri().path().trim_start_matches('/').split('/');
    let (verb, value) = (parts.next().unwrap(), parts.next().unwrap());
    match verb {
        "publish" => {
            let count: u64 = value.parse().unwrap();
            tasks.waiting.extend(tasks.last..tasks.last + count);
            tasks.last += count;
            String::new()
        }
        "take" => {
            let count = value.parse::<usize>().unwrap().min(tasks.waiting.len());
            let mut text = String::new();
            for task in tasks.waiting.drain(..count) {
                tasks.taken.insert(task, ());
                text.push_str(&format!("{task}{BLANK}{}\n", "7".repeat(BYTES)));
            }
            text
        }
        _ => {
            for task in value.split(',').map(|task| task.parse().unwrap()) {
                tasks.taken.remove(&task).unwrap();
            }
            String::new()
        }
    }
}

pub(crate) struct Http {
    child: Child,
    address: String,
}

pub(crate) struct Connection(BufStream<TcpStream>);

impl Http {
    pub(crate) fn start() -> Http {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command.args(["--serve", "http"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Http { child, address: address.trim().to_owned() }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Carrier for Http {
    type Worker = Connection;

    fn processes(&self) -> Vec<u32> {
        vec![self.child.id()]
    }

    async fn publish(&self, tasks: usize) {
        self.worker().await.ask(&format!("/publish/{tasks}")).await;
    }

    async fn worker(&self) -> Connection {
        let stream = TcpStream::connect(&self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Connection(BufStream::new(stream))
    }
}

impl Connection {
    async fn ask(&mut self, path: &str) -> String {
        let request = format!("POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n");
        self.0.write_all(request.as_bytes()).await.unwrap();
        self.0.flush().await.unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).await.unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.unwrap();
        String::from_utf8(body).unwrap()
    }
}

impl Worker for Connection {
    async fn take(&mut self, most: usize) -> Vec<u64> {
        let reply = self.ask(&format!("/take/{most}")).await;
        let number = |line: &str| line.split(BLANK).next().unwrap().parse().unwrap();
        let taken: Vec<u64> = reply.lines().map(number).collect();
        if taken.is_empty() {
            sleep(POLL).await;
        }
        taken
    }

    async fn done(&mut self, tasks: &[u64]) {
        let tasks: Vec<String> = tasks.iter().map(u64::to_string).collect();
        self.ask(&format!("/done/{}", tasks.join(","))).await;
    }
}
