//! The table of all limits on how much happens at once. A limit of a caller over time is a rate.

use std::{thread, time::Duration};

pub(crate) use serving::limiter::{Bound, Full, Limit, Limiter, Permit};

/// Evaluations that take long, by organization, on half of the processors: the others are always free for what is quick. One
/// organization leaves a permit to others, where there are several. Requests hold their bodies while they wait.
pub(crate) fn large_answers() -> Limit {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let total = processors.div_ceil(2);
    let busy = "too many large answers at once, please try again";
    Limit {
        name: "large answers",
        total,
        per_key: (total - 1).max(1),
        queue: 64,
        queue_total: 1_024,
        patience: Duration::from_secs(10),
        share: Some(busy),
        busy,
        retry_after: Duration::from_secs(1),
    }
}

/// Look-ups of API keys under way at the control plane, by client network: one that makes up keys leaves permits for the keys of
/// others.
pub(crate) const KEY_LOOK_UPS: Limit = Limit {
    name: "key look-ups",
    total: 256,
    per_key: 52,
    queue: 0,
    queue_total: 0,
    patience: Duration::ZERO,
    share: Some("the network has its share"),
    busy: "all are under way",
    retry_after: Duration::from_secs(1),
};

/// Open streams: so many of one API key, or of one client address; 0 for any number.
pub(crate) fn streams(of_one: u32) -> Limit {
    let words = "too many open streams";
    Limit {
        name: "streams",
        total: Limit::ANY,
        per_key: match of_one {
            0 => Limit::ANY,
            _ => usize::try_from(of_one).unwrap_or(Limit::ANY),
        },
        share: Some(words),
        busy: words,
        retry_after: Duration::from_secs(5),
        ..KEY_LOOK_UPS
    }
}
