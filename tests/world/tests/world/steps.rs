//! What may happen next.

use crate::{
    database::{Back, ENVIRONMENTS, FLAGS},
    dice::Dice,
    line::State,
    weather::Climate,
};

/// One thing that happens. Numbers of edges count relays too; `line` is that from an edge to one of its upstreams.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Write {
        replica: usize,
        env: u8,
        flag: u8,
    },
    Ask {
        edge: usize,
        env: u8,
        times: u64,
    },
    Keep,
    TakeBack {
        back: Back,
        which: u64,
    },
    Database {
        replica: usize,
        state: State,
    },
    Weather {
        line: usize,
        climate: Climate,
    },
    Cut {
        line: usize,
        up: bool,
        down: bool,
    },
    Join {
        line: usize,
    },
    StopReplica {
        replica: usize,
    },
    KillReplica {
        replica: usize,
    },
    StartReplica {
        replica: usize,
    },
    Stop {
        edge: usize,
    },
    Kill {
        edge: usize,
        forgets: bool,
    },
    Start {
        edge: usize,
    },
    /// The clock of a machine is set.
    Clock {
        edge: usize,
        by_s: i64,
    },
    Nothing,
}

/// How much there is of everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) replicas: usize,
    pub(crate) edges: usize,
    pub(crate) lines: usize,
    /// Whether the database is taken back in this world.
    pub(crate) is_taken_back: bool,
}

impl Step {
    pub(crate) fn roll(dice: &mut Dice, size: Size) -> Self {
        let kind = dice.below(100);
        let replica = dice.index(size.replicas);
        let edge = dice.index(size.edges);
        let line = dice.index(size.lines);
        let env = u8::try_from(dice.below(ENVIRONMENTS.into())).unwrap();
        let flag = u8::try_from(dice.below(FLAGS.into())).unwrap();
        match kind {
            0..32 => Self::Write { replica, env, flag },
            32..42 => Self::Ask {
                edge,
                env,
                times: dice.within(1..=5),
            },
            42..46 => Self::Keep,
            46..52 if size.is_taken_back => {
                let back = [Back::Data, Back::Disk, Back::Promotion][dice.index(3)];
                Self::TakeBack {
                    back,
                    which: dice.below(1 << 32),
                }
            }
            52..58 => {
                let state = [State::Open, State::Hangs, State::Refuses][dice.index(3)];
                Self::Database { replica, state }
            }
            58..64 => {
                let climate = Climate::ALL[dice.index(Climate::ALL.len())];
                Self::Weather { line, climate }
            }
            64..70 => {
                let way = dice.below(4);
                Self::Cut {
                    line,
                    up: way != 1,
                    down: way != 2,
                }
            }
            70..77 => Self::Join { line },
            77..79 => Self::StopReplica { replica },
            79..81 => Self::KillReplica { replica },
            81..86 => Self::StartReplica { replica },
            86..89 => Self::Stop { edge },
            89..91 => Self::Kill {
                edge,
                forgets: dice.one_in(2),
            },
            91..96 => Self::Start { edge },
            96..99 => {
                let by_s = i64::try_from(dice.below(7_200)).unwrap() - 3_600;
                Self::Clock { edge, by_s }
            }
            _ => Self::Nothing,
        }
    }
}
