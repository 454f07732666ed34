//! From the command line to a running server, and its end.

use std::fs::{self, File, TryLockError};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::{num::NonZero, path::Path, sync::Arc, time::Duration};

use agon_arena::BlobStore;
use agon_bots::{HostOptions, SandboxOptions, own_launcher};
use agon_console::serve_options::{DatabaseOptions, ServeOptions};
use agon_match::pin;
use agon_remote::RemoteArgs;
use agon_sandbox::remove_folder;
use anyhow::{Context, Result, anyhow, bail, ensure};
use tokio::{net::TcpListener, runtime::Runtime, signal::unix};
use tracing::{info, warn};

use crate::database::{DatabaseError, Place, statement};
use crate::intake::queue::{BUILDERS, Builder, Queue};
use crate::logs::{self, say};
use crate::play::{Controls, Orders, Player, Slots, Watcher};
use crate::shared::{Shared, SharedState, Site};
use crate::store::links::Purpose;
use crate::store::people::{PEOPLE_PRIVATE, Role};
use crate::store::{Store, links, now, replace_fact};
use crate::tries::{self, Tries};
use crate::upkeep::{self, Keep};
use crate::{
    accounts::token::Token, app::AppState, arenas, backup, durable, finals, health::Disk, http,
    intake::build::Workshop, ledger, limits::Limits, metrics::Metrics, reset_link,
};

/// How long matches that have begun may take to their end when the server stops.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long the administrator's first link can be used: a week.
const FIRST_LINK: i64 = 7 * 24 * 3600 * 1000;

/// Runs the server until it is told to stop.
pub(crate) fn run(
    options: &ServeOptions,
    database: &DatabaseOptions,
    remote: &RemoteArgs,
    verbose: u8,
) -> Result<()> {
    for boss in &options.boss {
        let game = boss.game.meta().id;
        let is_made = options.arena.contains(&boss.game);
        ensure!(is_made, "--boss {boss}: add `--arena {game}`, the arena in which it is to play");
    }
    // As long as this process has one thread.
    let sandbox = agon_sandbox::examine();
    sandbox.check_files().map_err(|why| anyhow!("{why}; see `agon doctor`"))?;
    give_up_privileges().context("the process that starts bots cannot be started")?;
    logs::start(options.log_format, verbose)?;
    let disk = Disk::new(&options.data);
    let _lock = lock(&options.data)?;
    let (mut slots, rest) = match remote.on {
        None => cores(options.slots),
        Some(_) => (Slots::default(), pin::cores().unwrap_or_default()),
    };
    let runtime = runtime(&rest)?;
    let listener = runtime.block_on(TcpListener::bind(options.listen)).with_context(|| {
        format!("cannot listen on {}; `--listen ADDRESS` names another one", options.listen)
    })?;
    let local = listener.local_addr().context("the address that it listens on")?;
    let shared = runtime.block_on(open(options, database, local, disk, remote))?;
    slots.remote = remote.options_in(&options.data, Arc::new(Watcher(shared.clone())))?;
    let tls = match (&options.tls_certificate, &options.tls_key) {
        (Some(certificate), Some(key)) => Some(http::acceptor(certificate, key)?),
        _ => None,
    };
    // Threads start on the cores of the thread that starts them; this one still has all.
    let (orders, received) = Orders::new();
    let controls = Controls { orders, comparisons: Arc::default(), slots: Arc::default() };
    let handle = runtime.handle().clone();
    let player = Player::start(shared.clone(), controls.clone(), slots.clone(), received, handle)?;
    // A system that does not report cores does not keep threads on them either.
    let _ = pin::stay_on(&rest);
    runtime.block_on(async {
        let (queue, tries) = (Arc::<Queue>::default(), Arc::<Tries>::default());
        let keys = ledger::Keys::open(options.data.join("keys"))?;
        // Now all folders are there: their names survive a loss of power.
        durable::sync(&options.data).context("the folder cannot be synced")?;
        let sealer = tokio::spawn(ledger::run(shared.clone(), keys));
        for arena in shared.arenas() {
            arenas::watch(&shared, &controls.orders, &arena);
            drop(finals::watch(shared.clone(), controls.orders.clone(), arena));
        }
        for _ in 0..BUILDERS {
            let queue = Arc::clone(&queue);
            let orders = controls.orders.clone();
            let build = Builder { shared: shared.clone(), queue, orders }.run();
            drop(tokio::spawn(build));
        }
        let keep = Keep { replays: options.keep_replays, logs: options.keep_logs };
        upkeep::start(&shared, &controls.slots, keep);
        let pool = tries::pool(&shared, rest);
        // One more than there are places, so that somebody always sees who waits.
        for _ in 0..=tries::AT_A_TIME {
            let play = tries::run(shared.clone(), Arc::clone(&tries), pool.clone());
            drop(tokio::spawn(play));
        }
        // Whoever reads the greeting may stop the server at once.
        let mut signals = Signals::listen()?;
        if let Some(sentence) = sandbox.shared_user() {
            say(&format!("warning: {sentence}"));
        }
        greet(&shared, options, &slots).await?;
        let limits = Limits::new(options.requests_per_minute, options.members_only_expensive);
        let app = AppState::new(shared.clone(), queue, tries, controls, limits);
        let served = tokio::spawn(http::serve(Arc::new(app), listener, tls));
        signals.any().await;
        info!("stopping");
        say("stopping: the running matches are played to their end (Ctrl-C again ends at once)");
        shared.end();
        drop(tokio::spawn(async move {
            signals.any().await;
            std::process::exit(130);
        }));
        tokio::task::spawn_blocking(move || player.finish()).await?;
        // The last results are in the last checkpoint.
        let _ = tokio::time::timeout(Duration::from_secs(5), sealer).await;
        served.abort();
        anyhow::Ok(())
    })?;
    runtime.shutdown_timeout(Duration::from_secs(5));
    info!("stopped");
    say("stopped");
    Ok(())
}

/// Leaves the privileges of a service, which are for the users of bots, to the process that starts
/// bots. Root needs its own for more.
fn give_up_privileges() -> std::io::Result<()> {
    let is_root = rustix::process::geteuid().is_root();
    let has_some = rustix::thread::capabilities(None).is_ok_and(|sets| !sets.permitted.is_empty());
    if has_some && !is_root { own_launcher().start_with_privileges() } else { Ok(()) }
}

/// Keeps other servers out of the folder.
fn lock(data: &Path) -> Result<File> {
    let shown = data.display();
    // It holds what nobody else should read.
    let made = durable::folder(data);
    made.with_context(|| format!("the folder {shown} cannot be made"))?;
    durable::close(data).with_context(|| {
        format!(
            "the folder {shown} cannot be closed to other users; give it to the user that the \
             server runs as"
        )
    })?;
    let path = data.join("lock");
    let file =
        File::create(&path).with_context(|| format!("the folder {shown} is not writable"))?;
    match file.try_lock() {
        Ok(()) => {
            backup::check_is_whole(data)?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            bail!("another server uses the folder {shown}; stop it, or name another folder")
        }
        Err(TryLockError::Error(error)) => Err(error).context(format!("the folder {shown}")),
    }
}

/// Shares the cores out: those for matches, and the rest.
fn cores(slots: Option<NonZero<usize>>) -> (Slots, Vec<usize>) {
    let all = pin::cores().unwrap_or_default();
    let free = NonZero::new(all.len().saturating_sub(1)).unwrap_or(NonZero::<usize>::MIN);
    let count = slots.unwrap_or(free);
    // The first core usually has the interrupts.
    let for_matches = count.get().min(all.len());
    let (rest, matches) = all.split_at(all.len() - for_matches);
    let rest = if rest.is_empty() { all.clone() } else { rest.to_vec() };
    (Slots { count, cores: matches.to_vec(), remote: None }, rest)
}

fn runtime(rest: &[usize]) -> Result<Runtime> {
    let cores = rest.to_vec();
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(rest.len().clamp(2, 8))
        .enable_all()
        .thread_name("server")
        .on_thread_start(move || {
            // As in `run`.
            let _ = pin::stay_on(&cores);
        })
        .build()
        .context("the system does not start threads")
}

/// The fewest characters of a token for the figures.
const SHORTEST_TOKEN: usize = 16;

/// Reads the token for the figures, and returns its digest.
fn metrics_token(path: &Path) -> Result<blake3::Hash> {
    let shown = || format!("--metrics-token {}", path.display());
    let text = fs::read_to_string(path).with_context(shown)?;
    let token = text.trim();
    ensure!(
        token.len() >= SHORTEST_TOKEN && !token.contains(char::is_whitespace),
        "{}: a token is one word of at least {SHORTEST_TOKEN} characters; make one with `openssl \
         rand -hex 20`",
        shown()
    );
    Ok(blake3::hash(token.as_bytes()))
}

async fn open(
    options: &ServeOptions,
    database: &DatabaseOptions,
    local: SocketAddr,
    disk: Disk,
    remote: &RemoteArgs,
) -> Result<Shared> {
    let data = &options.data;
    let place = Place::of(data, database)?;
    let database = place.open(data).await.with_context(|| match disk.is_low() {
        true => "the disk is full; make room, and start the server again",
        false => "the server cannot start",
    })?;
    let metrics = Metrics::new();
    let store = Store::new(database, metrics.write_seconds.clone());
    let blobs = BlobStore::open(&data.join("blobs"))?;
    let work = data.join("work");
    // What an earlier run left. New folders have other names, so that it is in nobody's way.
    if let Err(error) = remove_folder(&work) {
        say(&format!(
            "warning: what earlier builds left cannot be removed, and takes up room: {}: {error}",
            work.display()
        ));
    }
    fs::create_dir_all(&work).context("the folder `work` cannot be made")?;
    let work = work.canonicalize()?;
    let secrets = [&options.tls_key, &options.metrics_token].into_iter().flatten().chain([data]);
    let hidden = agon_bots::sandbox::hide(secrets.cloned().chain(remote.secrets()))?;
    let own = HostOptions::own();
    let machine = HostOptions {
        sandbox: SandboxOptions { hidden, ..own.sandbox },
        cache: Some(data.join("cache")),
        ..own
    };
    let workshop = Workshop { folder: work, machine, blobs: blobs.clone() };
    let secret = secret(&store).await?;
    if let Err(error) = store.note_skeletons().await {
        // Until there is room, names are compared without it.
        warn!("what names look like is not noted: {error}");
    }
    let scheme = if options.tls_certificate.is_some() { "https" } else { "http" };
    let own = format!("{scheme}://{}", reachable(local));
    let address = options.public_url.clone().unwrap_or(own);
    if let Err(error) = store.write(vec![replace_fact(reset_link::ADDRESS, address.clone())]).await
    {
        // A full disk keeps nobody from reading.
        warn!("the address for links from the shell is not kept: {error}");
    }
    let site = Site {
        title: options.title.clone(),
        is_guessed: options.public_url.is_none(),
        is_secure: address.starts_with("https://"),
        is_indexed: options.indexed,
        address,
        proxies: options.trusted_proxy.clone(),
        metrics_from: options.metrics_from.clone(),
        metrics_token: options.metrics_token.as_deref().map(metrics_token).transpose()?,
        data: data.clone(),
        workers: remote.on.as_ref().map(ToString::to_string),
        since: now(),
    };
    let private = store.fact(PEOPLE_PRIVATE).await?.is_some_and(|value| value == "yes");
    let shared = Arc::new(SharedState {
        store,
        blobs,
        workshop,
        site,
        metrics,
        disk,
        secret,
        are_people_private: private.into(),
        patience: PATIENCE,
        pace: options.pace,
        problems: Default::default(),
        ledger: Default::default(),
        trouble: Default::default(),
        player: Arc::default(),
        erasing: Default::default(),
        drawing: Default::default(),
        uploads: Default::default(),
        doomed: Default::default(),
        ending: Default::default(),
        arenas: Default::default(),
    });
    for mut arena in shared.store.arenas().await? {
        arenas::choose_ranks(&shared.store, &mut arena).await;
        shared.set_arena(arena);
    }
    for &game in &options.arena {
        if shared.arena(game.meta().id).is_none() {
            let mut arena = arenas::first(game);
            // Those bosses that play it.
            let own = options.boss.iter().filter(|boss| boss.game == game);
            let names: Vec<String> = own.map(|boss| boss.name.clone()).collect();
            if !names.is_empty() {
                arena.settings.bosses = arenas::bosses(game, &names)?;
            }
            arenas::make(&shared, &arena, None).await?;
        }
    }
    Ok(shared)
}

/// Returns the server's secret; makes it if there is none.
async fn secret(store: &Store) -> Result<[u8; 32]> {
    const NAME: &str = "secret";
    let text = match store.fact(NAME).await? {
        Some(text) => text,
        None => {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).context("the system gives no random numbers")?;
            let text = blake3::Hash::from_bytes(bytes).to_hex().to_string();
            store.set_fact(NAME, text.clone()).await?;
            text
        }
    };
    let hash = blake3::Hash::from_hex(&text).context("the server's secret is damaged")?;
    Ok(*hash.as_bytes())
}

/// Returns the address that others can use, if the server listens on all of this machine's.
fn reachable(listen: SocketAddr) -> SocketAddr {
    if !listen.ip().is_unspecified() {
        return listen;
    }
    // Nothing is sent: the system only chooses the address that it would send from.
    let chosen = UdpSocket::bind((listen.ip(), 0)).and_then(|socket| {
        socket.connect(if listen.is_ipv4() { "192.0.2.1:9" } else { "[2001:db8::1]:9" })?;
        socket.local_addr()
    });
    let local = if listen.is_ipv4() {
        IpAddr::from([127, 0, 0, 1])
    } else {
        IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1])
    };
    let chosen = chosen.map_or(local, |address| address.ip());
    SocketAddr::new(chosen, listen.port())
}

/// Tells the operator where the server is, and how to sign in first.
async fn greet(shared: &Shared, options: &ServeOptions, slots: &Slots) -> Result<()> {
    let missing = agon_bots::sandbox::missing();
    for lack in missing.iter() {
        say(&format!("warning: the sandbox is not complete: {}", lack.why));
    }
    if !options.listen.ip().is_loopback() && !shared.site.is_secure {
        say("warning: passwords cross the network readable; serve pages over HTTPS, see \
             docs/ladder.md");
    }
    if shared.disk.is_low() {
        say(&format!("warning: {}", shared.disk.warning()));
    }
    let address = &shared.site.address;
    let workers = shared.site.workers.as_deref().unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    info!(address, slots = slots.count, workers, version, "started");
    if let Some(code) = first_link(shared).await? {
        say(&format!("make your account here, within a week and once: {address}/join/{code}"));
    }
    // The last line: whoever waits for it has read everything else.
    let at_a_time = match &shared.site.workers {
        Some(workers) => format!("as many as the workers of {workers} play"),
        None => slots.count.to_string(),
    };
    say(&format!("{address} (matches at a time: {at_a_time})"));
    Ok(())
}

/// Makes the link of the first administrator. Returns `None` if there is one already, or no room.
async fn first_link(shared: &Shared) -> Result<Option<Token>> {
    if shared.store.count_of(Role::Administrator).await? > 0 {
        return Ok(None);
    }
    let code = Token::fresh();
    let old = "DELETE FROM links WHERE role = 'administrator' AND maker IS NULL";
    let purpose = Purpose::Join(Role::Administrator);
    let link = links::make(&code, &purpose, None, now() + FIRST_LINK, 1, "");
    match shared.store.write(vec![statement(old, ()), link]).await {
        Ok(_) => Ok(Some(code)),
        Err(DatabaseError::Full) => {
            say("warning: there is no room for the link with which you make your account; make \
                 room, and start the server again");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The signals with which the server is stopped.
struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
}

impl Signals {
    /// Begins to listen to them: from now on they end the program no more.
    fn listen() -> Result<Signals> {
        let listen = |kind| unix::signal(kind).context("the system does not report signals");
        Ok(Signals {
            interrupt: listen(unix::SignalKind::interrupt())?,
            terminate: listen(unix::SignalKind::terminate())?,
        })
    }

    /// Waits for one.
    async fn any(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
