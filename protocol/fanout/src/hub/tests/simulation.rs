//! A fleet on the hub alone, without sockets: what it costs in memory, in time on the processor, and in time under the
//! lock. Debug builds simulate 100 edges and 1,000 environments, release builds 1,000 and 10,000:
//!
//! ```sh
//! cargo test --release -p fanout --lib simulated -- --nocapture
//! ```

#![expect(clippy::print_stdout, reason = "its figures are read by people")]

mod acknowledgements;
mod relays;

use std::fs;

use super::*;

const EDGES: usize = if cfg!(debug_assertions) { 100 } else { 1_000 };
const ENVIRONMENTS: usize = if cfg!(debug_assertions) {
    1_000
} else {
    10_000
};
/// Environments of a project: what a flag edit touches.
const PROJECT: usize = 3;
/// Environments of the organization that lists the edges.
const ORGANIZATION: usize = 30;
/// Writes that wait at the same time.
const WRITES: usize = 100;

/// The goal for the larger size.
const MOST_MEMORY: usize = 100 << 20;
/// The goal for a change at the larger size is 5 ms under the lock, on a machine that does nothing else. This is generous,
/// and about the time on the processor, which includes it and depends less on what else there is to do.
const LONGEST: Duration = Duration::from_millis(if cfg!(debug_assertions) { 100 } else { 20 });

/// Runs something a number of times, and prints what it takes each time.
fn measure(hub: &Hub, name: &str, times: usize, mut work: impl FnMut(usize)) -> Duration {
    hub.lock_held_for();
    let before = cpu();
    (0..times).for_each(&mut work);
    let cpu = cpu().saturating_sub(before);
    let lock = hub.lock_held_for();
    let times = u32::try_from(times).unwrap();
    println!(
        "{name:<44} cpu {:>9.3} ms   lock {:>9.3} ms, longest {:>7.3} ms   memory {:>4} MB",
        millis(cpu / times),
        millis(lock.total / times),
        millis(lock.longest),
        memory() >> 20,
    );
    cpu / times
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Time of this thread on a processor.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// Resident memory of the process, bytes.
fn memory() -> usize {
    let stat = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<usize> = stat.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * 4_096
}

struct Fleet {
    hub: Arc<Hub>,
    environments: Vec<EnvId>,
    edges: Vec<Subscription>,
    version: Version,
    /// Environments that belong to projects which were changed.
    changed: usize,
}

impl Fleet {
    fn new(environments: usize) -> Self {
        let environments = 0..u128::try_from(environments).unwrap();
        // Spread as real ids are.
        let spread = environments.map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c));
        Self {
            hub: Arc::new(Hub::default()),
            environments: spread.map(|id| EnvId::new(Uuid::from_u128(id))).collect(),
            edges: Vec::new(),
            version: 1,
            changed: 0,
        }
    }

    /// The environments of another project.
    fn next_project(&mut self) -> Vec<EnvId> {
        let first = self.changed;
        self.changed += PROJECT;
        self.environments[first..self.changed].to_vec()
    }

    fn found(&self) -> Vec<Seen> {
        let region: Arc<str> = "us".into();
        let found = |env_id: &EnvId| Seen::Environment {
            env_id: *env_id,
            version: self.version,
            region: Arc::clone(&region),
            digest: None,
        };
        self.environments.iter().map(found).collect()
    }

    fn connect(&mut self, held: Option<Version>) {
        let name = format!("edge-{}", self.edges.len());
        let listing = self.hub.listing(&Regions::All, Interest::All, &[]);
        let holds: Vec<_> = listing.iter().map(|listed| (listed.env_id, held)).collect();
        self.edges.push(connect(&self.hub, &name, &holds));
    }

    /// Finds a change of some environments, has every edge take what it is owed and acknowledge it.
    fn propagate(&mut self, environments: &[EnvId]) {
        self.version += 1;
        let version = self.version;
        let found: Vec<Seen> = environments
            .iter()
            .map(|env_id| seen(*env_id, version))
            .collect();
        self.hub.see(&found);
        for edge in &self.edges {
            let take = || self.hub.state().take(edge.id(), Subscriber::take_update);
            while let Some(Work::Contents { env_id, .. }) = take() {
                edge.send(env_id, version);
                edge.acknowledge(env_id, version);
            }
        }
    }
}

/// What is asked about all edges.
fn measure_lists(hub: &Hub, fleet: &Fleet) -> Duration {
    let gauges = measure(hub, "the gauges", 5, |_| {
        let edges = hub.edges(Some(&[]));
        assert!(edges.iter().all(|edge| edge.held == ENVIRONMENTS));
    });
    measure(hub, "GET /v1/edges of an organization", 5, |_| {
        let only = &fleet.environments[..ORGANIZATION];
        let edges = hub.edges(Some(only));
        assert!(
            edges
                .iter()
                .all(|edge| edge.environments.len() == ORGANIZATION)
        );
    });
    measure(hub, "what the sweep of contents asks", 5, |_| {
        assert_eq!(hub.held().len(), ENVIRONMENTS);
    });
    gauges
}

#[tokio::test]
async fn a_simulated_fleet_costs_what_changes() {
    println!("{EDGES} edges, {ENVIRONMENTS} environments");
    let mut fleet = Fleet::new(ENVIRONMENTS);
    let found = fleet.found();
    let hub = Arc::clone(&fleet.hub);
    let before = memory();
    measure(&hub, "a first look", 1, |_| drop(hub.see_all(&found)));
    measure(&hub, "a full look without news", 5, |_| {
        drop(hub.see_all(&found));
    });

    let greeting = measure(&hub, "an edge greets that holds everything", EDGES, |_| {
        fleet.connect(Some(1));
    });
    let all = greeting * u32::try_from(EDGES).unwrap();
    println!(
        "{:<44} cpu {:>9.3} ms",
        "so all of them, in a row",
        millis(all)
    );

    let change = measure(&hub, "a change of a project, no write waits", 20, |_| {
        let project = fleet.next_project();
        fleet.propagate(&project);
    });
    let waited = measure(&hub, "a change of a project, a write waits", 20, |_| {
        let project = fleet.next_project();
        fleet.wait_for_change(&project);
    });
    let crowded = {
        let elsewhere: Vec<u64> = (0..WRITES)
            .map(|number| {
                let change = Change {
                    version: fleet.version + 1_000,
                    environments: vec![fleet.environments[ENVIRONMENTS - 1 - number]],
                };
                hub.state().begin(&change, Whom::KeepingUp).0
            })
            .collect();
        let name = format!("the same while {WRITES} other writes wait");
        let measured = measure(&hub, &name, 20, |_| {
            let project = fleet.next_project();
            fleet.propagate(&project);
        });
        for id in elsewhere {
            hub.state().waits.end(id);
        }
        measured
    };

    let gauges = measure_lists(&hub, &fleet);

    // They hold nothing of any environment, which is the most that there can be to remember of each.
    fleet.edges.clear();
    let fresh = measure(&hub, "an edge greets that holds nothing", EDGES, |_| {
        fleet.connect(None);
    });
    let (memory, before) = (memory(), before);
    println!(
        "memory above that of the bare process: {} MB",
        memory.saturating_sub(before) >> 20
    );

    assert!(memory.saturating_sub(before) <= MOST_MEMORY);
    for measured in [change, waited, crowded, gauges, greeting, fresh] {
        assert!(measured <= LONGEST);
    }
}
