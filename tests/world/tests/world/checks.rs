//! What always has to be so.
//!
//! - Who says how old what it serves may be has served what the database had within that time.
//! - An acknowledged write is served.
//! - Nobody goes back in time, unless the database does.
//! - No evaluation is counted twice, and in the end each is counted, but for those of a killed process.
//! - No write waits for ever, and when all is healed all is right after a while.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use fanout::Reached;
use tokio::time::Instant;

use crate::{
    database::{ENVIRONMENTS, FLAGS, Values},
    dice::mix,
    edge::Running,
    replica::Replica,
    world::{World, Wrong, told},
};

/// Between two looks at what edges serve.
const LOOKS: Duration = Duration::from_millis(400);
/// Who hears of each heartbeat says less.
const HEARD: Duration = Duration::from_secs(4);
/// How much later than the heartbeat that told of it something may arrive, or be lost.
const LATE: Duration = Duration::from_secs(2);
/// How long something that was sent may be under way on the worst line that heartbeats pass.
const UNDER_WAY: Duration = Duration::from_secs(5);
/// The same on a line that is silent, until that ends the link: three heartbeats.
const SILENT: Duration = Duration::from_secs(12);
/// No write takes longer.
const WRITE: Duration = Duration::from_secs(10);

/// A write that waits for edges.
#[derive(Debug)]
struct Write {
    env: u8,
    began: Instant,
    /// When it was committed, and whom it has reached.
    ended: Option<Option<(Instant, Reached)>>,
}

#[derive(Debug, Default)]
struct Process {
    started: Option<Instant>,
    served: BTreeMap<u8, Values>,
    /// Since when it has been wrong about how old these environments are.
    wrong: BTreeMap<u8, Instant>,
    /// Evaluations that it answered.
    asked: u64,
    is_connected: bool,
}

#[derive(Debug)]
pub(crate) struct Checks {
    is_taken_back: bool,
    looked: Option<Instant>,
    writes: Vec<Arc<Mutex<Write>>>,
    processes: Vec<Process>,
    /// Evaluations that each edge answered, and those that it may have lost.
    asked: Vec<u64>,
    may_be_lost: Vec<u64>,
    /// The sum of all that was seen.
    pub(crate) seen: u64,
}

impl Checks {
    pub(crate) fn new(edges: usize, is_taken_back: bool) -> Self {
        Self {
            is_taken_back,
            looked: None,
            writes: Vec::new(),
            processes: (0..edges).map(|_| Process::default()).collect(),
            asked: vec![0; edges],
            may_be_lost: vec![0; edges],
            seen: 0,
        }
    }

    pub(crate) fn started(&mut self, edge: usize) {
        self.processes[edge] = Process {
            started: Some(Instant::now()),
            ..Process::default()
        };
    }

    /// What it counted may not have been told.
    pub(crate) fn killed(&mut self, edge: usize) {
        self.may_be_lost[edge] += self.processes[edge].asked;
    }

    pub(crate) fn write(&mut self, replica: Replica, env: u8, flag: u8) {
        let write = Arc::new(Mutex::new(Write {
            env,
            began: Instant::now(),
            ended: None,
        }));
        self.writes.push(Arc::clone(&write));
        tokio::spawn(async move {
            let ended = replica.write(env, flag).await;
            write.lock().unwrap().ended = Some(ended);
        });
    }

    /// A client asks for an environment, if the edge has it.
    pub(crate) async fn ask(&mut self, edge: usize, running: &Running, env: u8) -> Option<Values> {
        running.edge.version(crate::database::env_id(env))?;
        let values = running.evaluate(env).await?;
        self.asked[edge] += u64::from(FLAGS);
        self.processes[edge].asked += u64::from(FLAGS);
        Some(values)
    }

    /// Looks at everything.
    pub(crate) async fn look(world: &mut World) -> Result<(), Wrong> {
        Self::look_at_writes(world).await?;
        let now = Instant::now();
        if world
            .checks
            .looked
            .is_some_and(|looked| now - looked < LOOKS)
        {
            return Ok(());
        }
        world.checks.looked = Some(now);
        for edge in 0..world.nodes.len() {
            Self::look_at(world, edge).await?;
        }
        Self::look_at_usage(world, false)?;
        Ok(())
    }

    async fn look_at(world: &mut World, edge: usize) -> Result<(), Wrong> {
        let node = &world.nodes[edge];
        let (name, Some(running)) = (node.site.name, &node.running) else {
            return Ok(());
        };
        let says = running.says().await;
        let process = &mut world.checks.processes[edge];
        if process.is_connected != says.is_connected {
            process.is_connected = says.is_connected;
            let state = if says.is_connected {
                "is connected"
            } else {
                "has no link"
            };
            world
                .story
                .push(told(world.began, &format!("{name} {state}")));
        }
        let age_ms = says.age.map_or(0, |age| age.as_millis());
        let seen = [
            world.checks.seen,
            age_ms.try_into().unwrap(),
            says.is_connected.into(),
        ];
        world.checks.seen = mix(&seen);
        for env in 0..ENVIRONMENTS {
            let Some(values) = world.checks.ask(edge, running, env).await else {
                continue;
            };
            let database = world.database.lock().unwrap();
            let age = says.age.filter(|_| says.is_ready);
            let is_wrong = age.filter(|age| !database.was_within(env, &values, *age + LATE));
            let now = database.values(env);
            drop(database);
            let wrong = &mut world.checks.processes[edge].wrong;
            match is_wrong {
                None => drop(wrong.remove(&env)),
                Some(age) => {
                    let since = wrong.entry(env).or_insert_with(Instant::now);
                    let is_silent = says.is_connected && age > HEARD;
                    let allowed = if is_silent { SILENT } else { UNDER_WAY };
                    if since.elapsed() > allowed {
                        return Err(format!(
                            "{name} has said for {:?} that it is {age:?} behind, and serves {values:?} of environment {env}, which is {now:?}",
                            since.elapsed()
                        ));
                    }
                }
            }
            let seen = [
                &[world.checks.seen, edge as u64, env.into()],
                values.as_slice(),
            ];
            world.checks.seen = mix(&seen.concat());
            let served = &mut world.checks.processes[edge].served;
            let before = served.insert(env, values.clone());
            if before.as_ref() != Some(&values) {
                let serves = format!("{name} serves {values:?} of environment {env}");
                world.story.push(told(world.began, &serves));
            }
            if let Some(before) = before
                && !world.checks.is_taken_back
                && before.iter().zip(&values).any(|(before, now)| before > now)
            {
                return Err(format!("{name} went back from {before:?} to {values:?}"));
            }
        }
        Ok(())
    }

    async fn look_at_writes(world: &mut World) -> Result<(), Wrong> {
        let mut ended = Vec::new();
        for write in std::mem::take(&mut world.checks.writes) {
            let is_over = write.lock().unwrap().ended.is_some();
            if is_over {
                ended.push(write);
                continue;
            }
            if write.lock().unwrap().began.elapsed() > WRITE {
                return Err(format!("a write waits for ever: {write:?}"));
            }
            world.checks.writes.push(write);
        }
        for write in ended {
            let (env, ended) = {
                let mut write = write.lock().unwrap();
                (write.env, write.ended.take().flatten())
            };
            if let Some((committed, reached)) = ended {
                Self::look_at_reached(world, env, committed, &reached).await?;
            }
        }
        Ok(())
    }

    /// Whoever acknowledged a write serves what the database had since.
    async fn look_at_reached(
        world: &mut World,
        env: u8,
        committed: Instant,
        reached: &Reached,
    ) -> Result<(), Wrong> {
        for edge in 0..world.nodes.len() {
            let node = &world.nodes[edge];
            let (name, Some(running)) = (node.site.name, &node.running) else {
                continue;
            };
            let started = world.checks.processes[edge].started;
            let is_new = started.is_none_or(|started| started > committed);
            if is_new || !reached.acknowledged.iter().any(|reached| reached == name) {
                continue;
            }
            let values = world.checks.ask(edge, running, env).await;
            let values = values.unwrap_or_default();
            let database = world.database.lock().unwrap();
            if !database.was_within(env, &values, committed.elapsed()) {
                return Err(format!(
                    "{name} acknowledged a write {:?} ago, and serves {values:?} of environment {env}, which has been {:?}",
                    committed.elapsed(),
                    database.values(env)
                ));
            }
        }
        Ok(())
    }

    /// Nothing is counted twice. Once nobody asks any more, everything is counted.
    pub(crate) fn look_at_usage(world: &World, is_over: bool) -> Result<(), Wrong> {
        let database = world.database.lock().unwrap();
        for (edge, node) in world.nodes.iter().enumerate() {
            let (asked, counted) = (world.checks.asked[edge], database.counted(node.site.name));
            let lost = world.checks.may_be_lost[edge];
            if counted > asked || (is_over && counted + lost < asked) {
                let name = node.site.name;
                return Err(format!(
                    "{counted} evaluations of {name} were counted of {asked}"
                ));
            }
        }
        Ok(())
    }

    /// Whether everybody has everything.
    pub(crate) async fn is_right(world: &mut World) -> Result<(), Wrong> {
        for edge in 0..world.nodes.len() {
            let node = &world.nodes[edge];
            let name = node.site.name;
            let running = node.running.as_ref().ok_or("not running")?;
            let says = running.says().await;
            let age = says.age.unwrap_or(Duration::MAX);
            if !says.is_ready || !says.is_connected || age > UNDER_WAY {
                return Err(format!("{name} says {says:?}"));
            }
            for env in 0..ENVIRONMENTS {
                let values = world.checks.ask(edge, running, env).await;
                let expected = world.database.lock().unwrap().values(env);
                if values.as_ref() != Some(&expected) {
                    return Err(format!("{name} serves {values:?} in place of {expected:?}"));
                }
            }
        }
        if !world.checks.writes.is_empty() {
            return Err("writes still wait".to_owned());
        }
        Ok(())
    }
}
