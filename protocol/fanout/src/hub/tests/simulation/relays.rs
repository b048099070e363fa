//! What edges behind relays cost whoever feeds the relays: what the relays do, and a list of who is there.

use protocol::wire::relay::{EdgeBelow, ToRelay};

use super::*;
use crate::Reached;

const RELAYS: usize = 30;
/// Edges below each of them.
const BELOW: usize = 33;
/// Questions that one relay has open at the same time.
const QUESTIONS: usize = 64;

/// Time under the lock. At best: a busy machine only makes it more.
#[derive(Debug)]
struct Costs {
    change: Duration,
    write: Duration,
    gauges: Duration,
    list: Duration,
}

impl Costs {
    const NONE_YET: Self = Self {
        change: Duration::MAX,
        write: Duration::MAX,
        gauges: Duration::MAX,
        list: Duration::MAX,
    };
}

fn lock_time(hub: &Hub, name: &str, least: &mut Duration, mut work: impl FnMut()) {
    const BATCHES: u32 = 5;
    const TIMES: u32 = 5;
    let before = cpu();
    for _ in 0..BATCHES {
        hub.lock_held_for();
        (0..TIMES).for_each(|_| work());
        *least = (hub.lock_held_for().total / TIMES).min(*least);
    }
    println!(
        "  {name:<42} cpu {:>9.3} ms   lock {:>9.3} ms",
        millis(cpu().saturating_sub(before) / (BATCHES * TIMES)),
        millis(*least),
    );
}

fn below(relay: usize, behind: u32) -> Vec<EdgeBelow> {
    let edge = |number| EdgeBelow {
        certificate: [7; 32],
        name: format!("edge-{relay}-{number}"),
        region: None,
        build: "test".to_owned(),
        since_ms: 0,
        rtt_us: 1_500,
        streams: 1,
        held: 10_000,
        behind,
        via: None,
    };
    (0..BELOW).map(edge).collect()
}

impl Fleet {
    fn of(edges: usize) -> Self {
        let mut fleet = Self::new(ENVIRONMENTS);
        fleet.hub.see_all(&fleet.found());
        for _ in 0..edges {
            fleet.connect(Some(1));
        }
        fleet
    }

    fn of_relays() -> Self {
        let mut fleet = Self::new(ENVIRONMENTS);
        fleet.hub.see_all(&fleet.found());
        let listing = fleet.hub.listing(&Regions::All, Interest::All, &[]);
        let holds = listing.iter().map(|listed| (listed.env_id, Some(1)));
        let holds: Vec<_> = holds.collect();
        for number in 0..RELAYS {
            let relay = connect_as(&fleet.hub, &format!("relay-{number}"), true, &holds);
            relay.set_below(below(number, 0));
            fleet.edges.push(relay);
        }
        fleet
    }

    /// A change that a write waits for.
    pub(super) fn wait_for_change(&mut self, project: &[EnvId]) {
        let change = Change {
            version: self.version + 1,
            environments: project.to_vec(),
        };
        let (id, _) = self.hub.state().begin(&change, Whom::KeepingUp);
        let hub = Arc::clone(&self.hub);
        self.propagate(project);
        assert!(hub.state().is_over(id));
        hub.state().waits.end(id);
    }

    /// A write that asks which edges serve it, when all do.
    async fn ask(&self, project: &[EnvId]) -> Reached {
        let change = Change {
            version: self.version,
            environments: project.to_vec(),
        };
        let answering = async {
            for (number, relay) in self.edges.iter().enumerate() {
                if let Ok(ToRelay::AskReached { request, .. }) =
                    timeout(Duration::ZERO, relay.next_for_relay()).await
                {
                    let names = below(number, 0).into_iter().map(|edge| edge.name);
                    let part = Reached {
                        acknowledged: names.collect(),
                        lagging: Vec::new(),
                    };
                    assert!(relay.answered_below(request, part, true));
                }
            }
        };
        tokio::join!(self.hub.acknowledged(&change, LONG), answering).0
    }
}

/// A fleet, and the memory of the hub that it takes.
fn weighed(name: &str, make: impl FnOnce() -> Fleet) -> (Fleet, usize) {
    let before = memory();
    let fleet = make();
    let memory = memory().saturating_sub(before);
    println!("{name}, {ENVIRONMENTS} environments: {} KB", memory >> 10);
    (fleet, memory)
}

impl Costs {
    fn lower(&mut self, name: &str, fleet: &mut Fleet) {
        println!("{name}");
        let hub = Arc::clone(&fleet.hub);
        let project = fleet.environments[..PROJECT].to_vec();
        lock_time(&hub, "a change of a project", &mut self.change, || {
            fleet.propagate(&project);
        });
        lock_time(&hub, "the same, a write waits", &mut self.write, || {
            fleet.wait_for_change(&project);
        });
        lock_time(&hub, "the gauges", &mut self.gauges, || {
            drop(hub.edges(Some(&[])));
        });
        let organization = &fleet.environments[..ORGANIZATION];
        let list = "GET /v1/edges of an organization";
        lock_time(&hub, list, &mut self.list, || {
            drop(hub.edges(Some(organization)));
        });
    }
}

#[tokio::test]
async fn a_simulated_fleet_behind_relays_costs_what_the_relays_cost() {
    const ROUNDS: usize = 4;
    let (mut direct, _) = weighed("1,000 edges", || Fleet::of(1_000));
    let (mut plain, plain_memory) = weighed("30 edges", || Fleet::of(RELAYS));
    let (mut relayed, relayed_memory) = weighed("30 relays of 33 edges each", Fleet::of_relays);
    let [mut of_direct, mut of_plain, mut of_relayed] = [const { Costs::NONE_YET }; 3];
    // In turn: a machine that is slow for seconds is slow for all of them.
    for _ in 0..ROUNDS {
        of_direct.lower("1,000 edges", &mut direct);
        of_plain.lower("30 edges", &mut plain);
        of_relayed.lower("30 relays", &mut relayed);
    }
    let project = relayed.environments[..PROJECT].to_vec();
    assert!(relayed.ask(&project).await.lagging.is_empty());

    // What every change costs does not depend on what is below.
    for (relayed, plain, direct) in [
        (of_relayed.change, of_plain.change, of_direct.change),
        (of_relayed.write, of_plain.write, of_direct.write),
    ] {
        assert!(relayed <= plain * 2, "{relayed:?} {plain:?}");
        assert!(relayed * 10 <= direct, "{relayed:?} {direct:?}");
    }
    // Whoever lists edges lists all of them.
    assert!(of_relayed.gauges <= of_direct.gauges * 3);
    assert!(of_relayed.list <= of_direct.list);
    // A few hundred bytes for each edge.
    assert!(relayed_memory <= plain_memory + (4 << 20));
}

#[tokio::test]
async fn what_a_simulated_relay_says_of_its_edges_costs_little() {
    let fleet = Fleet::of_relays();
    let hub = Arc::clone(&fleet.hub);
    println!("30 relays of 33 edges each, {ENVIRONMENTS} environments");
    let mut behind = 0;
    // At most once in five seconds for each relay, unless edges come or go.
    let mut told = Duration::MAX;
    lock_time(&hub, "all relays tell of their edges", &mut told, || {
        behind += 1;
        for (number, relay) in fleet.edges.iter().enumerate() {
            relay.set_below(below(number, behind));
        }
    });
    assert!(told <= LONGEST);

    let fresh = connect_as(&hub, "fresh", true, &{
        let all = fleet.environments.iter();
        all.map(|env_id| (*env_id, None)).collect::<Vec<_>>()
    });
    let owed = || hub.state().owed(fresh.id());
    let mut asked: Vec<_> = (0..QUESTIONS).map(|_| owed()).collect();
    let name = format!("a relay of nothing, {QUESTIONS} catching up: each");
    let caught_up = measure(&hub, &name, ENVIRONMENTS, |_| {
        let taken = hub.state().take(fresh.id(), Subscriber::take_whole);
        let env_id = taken.expect("one is owed").env_id();
        fresh.send(env_id, 1);
        fresh.acknowledge(env_id, 1);
        for owed in &mut asked {
            hub.state().owes_none_of(fresh.id(), owed);
        }
    });
    assert!(asked.iter().all(Vec::is_empty));
    assert!(caught_up <= LONGEST / 10);
}
