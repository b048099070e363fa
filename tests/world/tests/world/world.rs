//! One world: it is built, things happen, and in the end all is healed and has to come right.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serving::clock::Clock;
use tempfile::TempDir;
use time::macros::datetime;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    authority::Authority,
    checks::Checks,
    database::Database,
    dice::{Dice, mix},
    edge::Site,
    line::{Line, State},
    network::{Machine, Network, Place, SERVER_PORT},
    node::Node,
    replica::Replica,
    steps::{Size, Step},
};

/// So much time passes between two looks at everything.
const TICK: Duration = Duration::from_millis(50);
/// How often clocks move.
const SECONDS_HAND: Duration = Duration::from_millis(20);
/// When all is healed it is right again after this time.
pub(crate) const HEALED: Duration = Duration::from_secs(60);

/// How long what was counted takes to be stored when all is well.
const USAGE: Duration = Duration::from_secs(8);

/// What is wrong.
pub(crate) type Wrong = String;

/// A control plane that runs.
pub(crate) struct Control {
    pub(crate) replica: Replica,
    machine: Machine,
    stop: CancellationToken,
}

pub(crate) struct World {
    dice: Dice,
    pub(crate) began: Instant,
    network: Network,
    authority: Arc<Authority>,
    pub(crate) database: Arc<Mutex<Database>>,
    clocks: Clocks,
    lines: Vec<Line>,
    pub(crate) controls: Vec<Option<Control>>,
    started: u64,
    pub(crate) nodes: Vec<Node>,
    pub(crate) checks: Checks,
    pub(crate) story: Vec<String>,
    size: Size,
    _folder: TempDir,
}

/// Runs the world of a seed. Returns what happened, and what was wrong.
pub(crate) async fn run(seed: u64) -> (Vec<String>, Result<(), Wrong>) {
    let mut world = World::new(seed).await;
    let result = world.live().await;
    (world.story, result)
}

/// The clocks of all machines, which show the virtual time.
#[derive(Clone)]
struct Clocks(Arc<Mutex<Vec<Clock>>>);

impl Clocks {
    fn start() -> Self {
        let clocks = Self(Arc::default());
        let going = clocks.clone();
        tokio::spawn(async move {
            loop {
                sleep(SECONDS_HAND).await;
                let clocks = going.0.lock().unwrap();
                clocks.iter().for_each(|clock| clock.advance(SECONDS_HAND));
            }
        });
        clocks
    }

    fn another(&self) -> Clock {
        let clock = Clock::manual(datetime!(2027-01-01 00:00 UTC));
        self.0.lock().unwrap().push(clock.clone());
        clock
    }
}

/// In memory where there is room, since copies are written all the time.
fn folder() -> TempDir {
    let mut builder = tempfile::Builder::new();
    builder.prefix("world-");
    let in_memory = builder.tempdir_in("/dev/shm");
    in_memory.or_else(|_| builder.tempdir()).unwrap()
}

/// A line of the story.
pub(crate) fn told(began: Instant, what: &str) -> String {
    format!("{:>6} ms {what}", began.elapsed().as_millis())
}

fn sites(dice: &mut Dice) -> Vec<Site> {
    let (one, other) = (Place(1), Place(2));
    let relay = Place(10);
    let site = |name, number, is_relay, upstreams| Site {
        name,
        place: Place(number),
        is_relay,
        upstreams,
    };
    let mut below = vec![relay];
    if dice.one_in(3) {
        below.push(one);
    }
    vec![
        site("relay", 10, true, vec![one, other]),
        site("edge-a", 20, false, vec![one, other]),
        site("edge-b", 21, false, vec![other, one]),
        site("edge-c", 22, false, below),
    ]
}

impl World {
    async fn new(seed: u64) -> Self {
        let mut dice = Dice::new(mix(&[seed, 1]));
        let sites = sites(&mut dice);
        let names: Vec<_> = sites
            .iter()
            .map(|site| (site.name, site.is_relay))
            .collect();
        let authority = Arc::new(Authority::new(&names));
        let network = Network::new(seed);
        let database = Arc::new(Mutex::new(Database::new()));
        let folder = folder();
        let nodes: Vec<Node> = sites
            .iter()
            .map(|site| {
                let node = Node::new(site.clone(), folder.path().join(site.name));
                authority.enroll(site.name, &node.identity());
                node
            })
            .collect();
        let lines = [Place(1), Place(2)];
        let lines = lines
            .map(|place| Line::new(seed, place, &database))
            .to_vec();
        let size = Size {
            replicas: lines.len(),
            edges: nodes.len(),
            lines: nodes.iter().map(|node| node.site.upstreams.len()).sum(),
            is_taken_back: dice.one_in(2),
        };
        let mut world = Self {
            dice,
            began: Instant::now(),
            network,
            authority,
            clocks: Clocks::start(),
            controls: lines.iter().map(|_| None).collect(),
            lines,
            started: 0,
            checks: Checks::new(nodes.len(), size.is_taken_back),
            nodes,
            database,
            story: Vec::new(),
            size,
            _folder: folder,
        };
        for replica in 0..world.controls.len() {
            world.start_replica(replica);
        }
        for edge in 0..world.nodes.len() {
            world.start(edge).await;
        }
        world
    }

    async fn live(&mut self) -> Result<(), Wrong> {
        let time = self.dice.within(0..=5_000);
        self.pass(Duration::from_millis(time)).await?;
        for _ in 0..self.dice.within(20..=50) {
            let step = Step::roll(&mut self.dice, self.size);
            self.tell(&format!("{step:?}"));
            self.take(step).await;
            // Most of it happens together, and now and then there is time to notice a silence.
            let most = [1, 1, 1, 300, 300, 300, 2_000, 2_000, 2_000, 12_000][self.dice.index(10)];
            let time = self.dice.below(most);
            self.pass(Duration::from_millis(time)).await?;
        }
        self.heal().await?;
        self.come_right().await
    }

    pub(crate) fn tell(&mut self, what: &str) {
        self.story.push(told(self.began, what));
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Write { replica, env, flag } => {
                if let Some(control) = &self.controls[replica] {
                    self.checks.write(control.replica.clone(), env, flag);
                }
            }
            Step::Ask { edge, env, times } => {
                for _ in 0..times {
                    if let Some(running) = &self.nodes[edge].running {
                        self.checks.ask(edge, running, env).await;
                    }
                }
            }
            Step::Keep => self.database.lock().unwrap().keep(),
            Step::TakeBack { back, which } => self.database.lock().unwrap().take_back(back, which),
            Step::Database { replica, state } => self.lines[replica].set(state),
            Step::Weather { line, climate } => {
                let (from, to) = self.line(line);
                self.network.set_climate(from, to, climate);
            }
            Step::Cut { line, up, down } => {
                let (from, to) = self.line(line);
                if up {
                    self.network.cut(from, to);
                }
                if down {
                    self.network.cut(to, from);
                }
            }
            Step::Join { line } => {
                let (from, to) = self.line(line);
                self.network.join(from, to);
            }
            Step::StopReplica { replica } => self.stop_replica(replica, false),
            Step::KillReplica { replica } => self.stop_replica(replica, true),
            Step::StartReplica { replica } => self.start_replica(replica),
            Step::Stop { edge } => self.nodes[edge].stop(),
            Step::Kill { edge, forgets } => {
                if self.nodes[edge].running.is_some() {
                    self.checks.killed(edge);
                }
                self.nodes[edge].kill(forgets);
            }
            Step::Start { edge } => self.start(edge).await,
            Step::Clock { edge, by_s } => {
                if let Some(running) = &self.nodes[edge].running {
                    running.clock.adjust(time::Duration::seconds(by_s));
                }
            }
            Step::Nothing => {}
        }
    }

    /// From where to where one of the lines of the edges leads.
    fn line(&self, number: usize) -> (Place, Place) {
        let sites = self.nodes.iter().map(|node| &node.site);
        let lines = sites.flat_map(|site| site.upstreams.iter().map(|to| (site.place, *to)));
        lines.collect::<Vec<_>>()[number]
    }

    fn start_replica(&mut self, number: usize) {
        if self.controls[number].is_some() {
            return;
        }
        self.started += 1;
        let stop = CancellationToken::new();
        let place = Place(1 + u8::try_from(number).unwrap());
        let machine = Machine::new(&self.network, place, SERVER_PORT + 1);
        let replica = Replica::start(
            self.clocks.another(),
            self.lines[number].clone(),
            &self.authority,
            machine.clone(),
            self.started << 40,
            &stop,
        );
        self.controls[number] = Some(Control {
            replica,
            machine,
            stop,
        });
    }

    fn stop_replica(&mut self, number: usize, at_once: bool) {
        if let Some(control) = self.controls[number].take() {
            if at_once {
                control.machine.unplug();
            }
            control.stop.cancel();
        }
    }

    async fn start(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        if node.may_start() {
            node.start(&self.network, self.clocks.another()).await;
            self.checks.started(number);
        }
    }

    async fn heal(&mut self) -> Result<(), Wrong> {
        self.tell("all is healed");
        self.network.heal();
        for line in &self.lines {
            line.set(State::Open);
        }
        for replica in 0..self.controls.len() {
            self.start_replica(replica);
        }
        let ends_in = self.nodes.iter().map(Node::ends_in).max();
        self.pass(ends_in.unwrap_or_default()).await?;
        for edge in 0..self.nodes.len() {
            self.start(edge).await;
        }
        Ok(())
    }

    /// Time passes, and all the while everything has to be right.
    async fn pass(&mut self, time: Duration) -> Result<(), Wrong> {
        let until = Instant::now() + time;
        while Instant::now() < until {
            let step = TICK.min(until - Instant::now());
            sleep(step).await;
            Checks::look(self).await?;
        }
        Ok(())
    }

    async fn come_right(&mut self) -> Result<(), Wrong> {
        let until = Instant::now() + HEALED;
        while let Err(wrong) = Checks::is_right(self).await {
            if Instant::now() > until {
                return Err(format!("not right {HEALED:?} after all is healed: {wrong}"));
            }
            self.pass(Duration::from_millis(500)).await?;
        }
        // Nobody asks any more, so that all is counted.
        sleep(USAGE).await;
        Checks::look_at_usage(self, true)?;
        self.tell(&format!("all is right, seen {:x}", self.checks.seen));
        Ok(())
    }
}
