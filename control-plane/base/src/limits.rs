//! The table of all limits on how much happens at once. A limit of a caller over time is a rate (`http::rates`).

use std::{num::NonZero, thread::available_parallelism, time::Duration};

pub use serving::limiter::{Bound, Full, Limit};

use crate::{ids::OrgId, refusal::Refusal};

/// Hands out the permits of a row, to organizations where nothing else is said.
pub type Limiter<K = OrgId> = serving::limiter::Limiter<K>;
pub type Permit<K = OrgId> = serving::limiter::Permit<K>;

/// A page beyond this offset needs a permit of [`LONG_PAGES`]: up to here it takes some 20 ms, beyond ten million entries two seconds.
pub const FAR: i64 = 100_000;

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident
        $total:literal $per_key:literal $queue:literal $queue_total:literal $patience:literal $retry_after:literal
        $share:expr, $busy:literal;)+) => {$(
        $(#[$doc])*
        pub const $name: Limit = Limit {
            name: stringify!($name),
            total: $total,
            per_key: $per_key,
            queue: $queue,
            queue_total: $queue_total,
            patience: Duration::from_secs($patience),
            share: $share,
            busy: $busy,
            retry_after: Duration::from_secs($retry_after),
        };
    )+};
}

// A total of 0 depends on the machine or on settings: see the functions below.
limits! {
    //                total  per key  queue  queue in all  patience, s  retry after, s
    /// Connections of requests, by organization. An honest burst is a page of a dashboard, or a tool that applies a file. The total
    /// is that of the next row.
    CONNECTIONS           0        0     64         1_024            3               1
        None, "the database is busy";
    /// The same by client network: organizations are free, so a person may have many.
    NETWORK_CONNECTIONS   0        0  1_024         1_024            3               1
        None, "the database is busy";
    /// Connections of requests whose organization is not known: they sign in, and wait for the hashing of passwords.
    SIGN_IN_CONNECTIONS   0        0     32           512            3               1
        None, "the database is busy";
    /// Bodies whose rules are checked: their regular expressions take up to a tenth of a second to compile.
    CHECKS                0        0     32           256            5               1
        Some("too many changes at once"), "too many changes are being checked, please try again";
    /// Pages far back in a long list, of several filters, or with counts of everything.
    LONG_PAGES            3        1     32           256           10               2
        Some("too many pages of long lists are requested at once; they are made one at a time"),
        "too many organizations request pages of long lists";
    /// Reports that add up or search far more rows than they show: evaluations, words in the audit log, CSV.
    HEAVY_PAGES           2        1     32           128           10               2
        Some("too many reports are requested at once; they are made one at a time"),
        "too many organizations request reports";
    /// Requests that change many flags, each in a transaction of its own.
    BULK_EDITS            4        1      8            64           10               2
        Some("too many bulk edits at once; they are made one at a time"),
        "too many bulk edits are being made, please try again";
    /// Changes of all definitions of a project, with bodies of up to 32 MiB, which take several times as much when they are read.
    CONTENT_WRITES        2        1      4            32           20               5
        Some("too many changes of whole projects at once; they are made one at a time"),
        "too many changes of whole projects are being made, please try again";
    /// Environments of up to 48 MiB, compiled to explain a flag.
    EXPLANATIONS          2        1     16           256           10               1
        Some("too many explanations at once"), "too many explanations are being made, please try again";
    /// Writes that wait for all edges. Each relay is asked about each of them. The patience is added to that of the write.
    EDGE_WAITS           64        8      0           256            2               1
        Some("too many writes wait for edges"), "the writes of others wait for edges, please try again";
    /// Streams of a user that are open on a replica.
    LIVE_STREAMS     65_536       20      0             0            0               5
        Some("too many open streams"), "too many open streams";
    /// Look-ups of API keys, by edge: those in a query or next, and those that wait.
    KEY_LOOK_UPS        256       16    256         4_096           10               1
        None, "too many keys are looked up";
    /// Pushes that are applied at the same time to the built-in edge: few, since requests need the threads too.
    BUILT_IN_PUSHES       4        2     32            64           60               1
        None, "too many changes of an environment wait";
    /// Whole environments among them, which take longer than changes.
    BUILT_IN_WHOLES       3        2     64            64           60               1
        None, "too many environments wait";
    /// Calls to payment gateways.
    GATEWAY_CALLS        64        2      0             0            0               1
        None, "payment gateway is busy";
    /// Look-ups of host names, each on a thread of its own. Callers have deadlines of their own.
    HOST_LOOK_UPS       128       16  2_048         4_096          300               1
        None, "too many host names are looked up";
    /// Requests that read a source of an import into memory.
    SOURCES               8        2     16           256            5               1
        None, "too many sources are being read";
    /// Sources of which more than little is held in memory: one of a process.
    LARGE_SOURCES         1        1     16            16        1_800               1
        None, "too many sources are being read";
    /// Imports that run on a replica.
    IMPORTS               8        2      0             0            0              10
        Some("two imports of the organization are running"), "too many imports are running";
    /// Passwords that are hashed, by client network: 19 MiB and tens of milliseconds each. An office that signs in within a second
    /// waits for about three.
    PASSWORDS             0        1     64         2_048           10               2
        Some("too many sign-ins at once, please try again"), "too many sign-ins at once, please try again";
    /// Work of each kind that is left to do after an answer, by client network.
    AFTER_ANSWERS        64       16     32           512            3               3
        None, "too many requests at once, please try again";
}

/// The limits on the connections of requests, of `all`: by organization (a third of three quarters), by the networks of those
/// (two thirds), and by networks without an organization (half of the rest).
pub fn connections(all: usize) -> [Limit; 3] {
    let sign_in = (all / 4).max(1);
    let of_orgs = (all - sign_in).max(1);
    let sized = |limit: Limit, total, per_key: usize| Limit {
        total,
        per_key: per_key.max(1),
        ..limit
    };
    [
        sized(CONNECTIONS, Limit::ANY, of_orgs / 3),
        sized(NETWORK_CONNECTIONS, of_orgs, of_orgs * 2 / 3),
        sized(SIGN_IN_CONNECTIONS, sign_in, sign_in / 2),
    ]
}

/// As many as there are processors; half of them for an organization.
pub fn checks() -> Limit {
    let processors = processors().max(2);
    Limit {
        total: processors,
        per_key: processors / 2,
        ..CHECKS
    }
}

/// On half of the processors, and two at most: more would take memory and processors from everything else.
pub fn passwords() -> Limit {
    Limit {
        total: (processors() / 2).clamp(1, 2),
        ..PASSWORDS
    }
}

/// Writes wait for `edges_wait` while they hold a permit.
pub fn edge_waits(edges_wait: Duration) -> Limit {
    Limit {
        patience: edges_wait + EDGE_WAITS.patience,
        ..EDGE_WAITS
    }
}

fn processors() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

impl From<Full> for Refusal {
    fn from(full: Full) -> Self {
        let Full {
            words, retry_after, ..
        } = full;
        match full.bound {
            Bound::Share => Self::TooMany { words, retry_after },
            Bound::Total => Self::Unavailable {
                words,
                retry_after: Some(retry_after),
            },
        }
    }
}
