//! Faults as values: what is drawn for a round, how it is inflicted, and how it ends.

use std::fmt::{self, Display};
use std::time::Duration;

use harness::cluster::Cluster;
use harness::relay::Line;
use rand::seq::IndexedRandom;
use rand::{RngExt, rngs::StdRng};
use sqlx::{Connection, Executor, PgConnection};

use super::history::{Span, Strike};
use super::world::{Node, World};

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    Losing,
    Slow,
    Reordering,
    Doubling,
    HalfOpen,
    Black,
}

/// What is wrong with the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// All its processes end at once; it is started again.
    Crashed,
    /// It is killed, and its standby, which has all that was acknowledged, takes its place.
    Promoted,
    /// It takes connections, and nothing comes back: for both control planes, or for one.
    Hanging(Option<usize>),
    ReadOnly,
    /// Each commit takes a tenth of a second more.
    SlowDisk,
}

/// One fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Killed(Node),
    Frozen(Node),
    Line(usize, Bad),
    Database(Trouble),
    /// The clock jumps to so many hours from now, and back.
    Clock(Node, i64),
    /// The disk of one of the two edges that have one of their own is full.
    FullDisk(usize),
}

/// Edges with a disk of their own.
const WITH_DISK: [Node; 2] = [Node::Beside, Node::Leaf];
const CONTROLS: [Node; 2] = [Node::Control, Node::Second];

impl Fault {
    /// Draws one; killing is half of it.
    pub fn draw(rng: &mut StdRng) -> Self {
        let node = *Node::ALL.choose(rng).expect("there are some");
        match if std::env::var_os("CLOCKS").is_some() {
            9
        } else {
            rng.random_range(0..11)
        } {
            0..5 => Self::Killed(node),
            5 => Self::Frozen(node),
            6..8 => {
                use Bad::{Black, Doubling, HalfOpen, Losing, Reordering, Slow};
                let bad = [Losing, Slow, Reordering, Doubling, HalfOpen, Black];
                Self::Line(
                    rng.random_range(0..5),
                    *bad.choose(rng).expect("there are some"),
                )
            }
            8 => {
                use Trouble::{Crashed, Hanging, ReadOnly, SlowDisk};
                let one = Hanging(Some(rng.random_range(0..2)));
                let trouble = [Crashed, Hanging(None), one, ReadOnly, SlowDisk];
                Self::Database(*trouble.choose(rng).expect("there are some"))
            }
            9 => Self::Clock(node, *[-1, 1].choose(rng).expect("there are some")),
            _ => Self::FullDisk(rng.random_range(0..2)),
        }
    }

    /// The same where it is possible: clocks may be unable to jump, and where there is a standby, that is promoted in place of a crash.
    pub fn possible(self, world: &World) -> Option<Self> {
        match self {
            Self::Clock(..) if !world.clocks.can_jump() => None,
            Self::Database(Trouble::Crashed) if world.standby.is_some() => {
                Some(Self::Database(Trouble::Promoted))
            }
            _ => Some(self),
        }
    }

    /// Whether both can be there at once: not two at one process, or at the database.
    pub fn goes_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Line(one, _), Self::Line(two, _)) => one != two,
            (Self::Database(_), Self::Database(_)) => false,
            _ => self.node().is_none() || self.node() != other.node(),
        }
    }

    const fn node(self) -> Option<Node> {
        match self {
            Self::Killed(node) | Self::Frozen(node) | Self::Clock(node, _) => Some(node),
            Self::FullDisk(disk) => Some(WITH_DISK[disk]),
            Self::Line(..) | Self::Database(_) => None,
        }
    }

    /// What to name it when faults are counted.
    pub fn kind(self) -> String {
        match self {
            Self::Killed(node) => format!("{} killed", node.name()),
            Self::Frozen(node) => format!("{} frozen", node.name()),
            Self::Clock(node, hours) => format!("clock of {} {hours:+} h", node.name()),
            Self::Line(_, bad) => format!("line {bad:?}").to_lowercase(),
            Self::Database(Trouble::Hanging(_)) => "database hanging".to_owned(),
            Self::Database(trouble) => format!("database {trouble:?}").to_lowercase(),
            Self::FullDisk(disk) => format!("disk of {} full", WITH_DISK[disk].name()),
        }
    }

    /// What the checker has to know of it.
    pub fn strike(self, span: Span) -> Strike {
        let names = |nodes: &[Node]| nodes.iter().map(|node| node.name().to_owned()).collect();
        let (killed, silenced, unstored): (&[Node], &[Node], &[Node]) = match &self {
            Self::Killed(node) => (&[*node], &[*node], &[]),
            Self::Frozen(node) => (&[], &[*node], &[]),
            Self::Line(..) | Self::Clock(..) => (&[], &[], &[]),
            Self::Database(Trouble::Hanging(Some(control))) => {
                (&[], &[], &CONTROLS[*control..=*control])
            }
            Self::Database(_) => (&[], &[], &CONTROLS),
            Self::FullDisk(disk) => (&[], &[], &WITH_DISK[*disk..=*disk]),
        };
        Strike {
            span,
            kind: self.kind(),
            what: self.to_string(),
            killed: names(killed),
            silenced: names(silenced),
            unstored: names(unstored),
        }
    }

    pub async fn inflict(self, world: &mut World) {
        match self {
            Self::Killed(node) => world.process(node).kill(),
            Self::Frozen(node) => world.process(node).suspend(),
            Self::Clock(node, hours) => world.clocks.set(node, hours * 3_600),
            Self::Line(line, bad) => world.lines[line].set(bad.line()),
            Self::Database(Trouble::Crashed) => world.cluster.crash(),
            Self::Database(Trouble::Promoted) => world.cluster.kill(),
            Self::Database(Trouble::Hanging(one)) => hang(world, one, true),
            Self::Database(Trouble::ReadOnly) => {
                let read_only = "ALTER SYSTEM SET default_transaction_read_only = on";
                configure(&world.cluster, &[read_only]).await;
            }
            Self::Database(Trouble::SlowDisk) => {
                let slow = [
                    "ALTER SYSTEM SET fsync = on",
                    "ALTER SYSTEM SET commit_delay = 100000",
                    "ALTER SYSTEM SET commit_siblings = 0",
                ];
                configure(&world.cluster, &slow).await;
            }
            Self::FullDisk(disk) => world.with_disk(disk, harness::Disk::fill),
        }
    }

    /// Ends it. What was killed starts, and [`Self::is_over`] waits for it.
    pub async fn heal(self, world: &mut World) {
        match self {
            Self::Killed(node) => world.process(node).start_unwatched(),
            Self::Frozen(node) => world.process(node).resume(),
            Self::Clock(node, _) => world.clocks.set(node, 0),
            Self::Line(line, _) => world.lines[line].set(Line::GOOD),
            Self::Database(Trouble::Crashed) => {
                world.cluster.start_again();
                world.lead_to_the_database();
            }
            Self::Database(Trouble::Promoted) => {
                world.cluster = world.standby.take().expect("there is a standby");
                world.lead_to_the_database();
                world.cluster.promote().await;
            }
            Self::Database(Trouble::Hanging(one)) => hang(world, one, false),
            Self::Database(Trouble::ReadOnly) => {
                configure(
                    &world.cluster,
                    &["ALTER SYSTEM RESET default_transaction_read_only"],
                )
                .await;
            }
            Self::Database(Trouble::SlowDisk) => {
                let reset = [
                    "ALTER SYSTEM RESET commit_delay",
                    "ALTER SYSTEM SET fsync = off",
                ];
                configure(&world.cluster, &reset).await;
            }
            Self::FullDisk(disk) => world.with_disk(disk, harness::Disk::free),
        }
    }

    /// Waits until what it struck is as before.
    pub async fn is_over(self, world: &mut World) -> Over {
        match self {
            Self::Killed(node) => {
                world.is_ready(node).await;
                Over::Now
            }
            _ => Over::WithIt,
        }
    }
}

/// When a fault is over.
pub enum Over {
    /// When it is healed.
    WithIt,
    /// When what was killed is ready.
    Now,
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Bad {
    fn line(self) -> Line {
        let delay = Duration::from_millis(20);
        match self {
            Self::Losing => Line {
                lost: 200,
                ..Line::GOOD
            },
            Self::Slow => Line {
                rate: 50_000,
                queue: 64 << 10,
                delay: 5 * delay,
                ..Line::GOOD
            },
            Self::Reordering => Line {
                late: 300,
                delay,
                ..Line::GOOD
            },
            Self::Doubling => Line {
                doubled: 500,
                delay,
                ..Line::GOOD
            },
            Self::HalfOpen => Line {
                half_open: true,
                ..Line::GOOD
            },
            Self::Black => Line {
                cut: true,
                ..Line::GOOD
            },
        }
    }
}

fn hang(world: &World, one: Option<usize>, hangs: bool) {
    for (number, tunnel) in world.tunnels.iter().enumerate() {
        if one.is_none_or(|one| one == number) {
            tunnel.hang(hangs);
        }
    }
}

/// Changes settings of the running database.
pub async fn configure(cluster: &Cluster, statements: &[&'static str]) {
    let session = PgConnection::connect(cluster.url()).await;
    let mut session = session.expect("the database runs");
    for &statement in statements.iter().chain(&["SELECT pg_reload_conf()"]) {
        session.execute(statement).await.expect("a superuser may");
    }
}
