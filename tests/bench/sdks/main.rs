//! The Rust SDK beside those of others, each in this process, on the same flag: two conditions and a rollout.
//! `cargo run --release --manifest-path tests/bench/sdks/Cargo.toml`, or `./dev bench peer-sdks`.

mod peers;
mod timing;
mod users;

use self::{
    peers::{flagsmith, growthbook, halyard, launchdarkly, unleash},
    timing::{Contender, compare},
    users::{ADMITTED, USERS},
};

/// Flags that each of them holds.
const FLAGS: usize = 10_000;
/// The same for what evaluates all flags whenever it is asked for one.
const FEW: usize = 1_000;

fn main() {
    let mut contenders = [
        Contender::new("Halyard, counted", halyard::asking(FLAGS)),
        Contender::new("unleash-yggdrasil", unleash::asking(FLAGS)),
        Contender::new(
            "launchdarkly-server-sdk-evaluation",
            launchdarkly::asking(FLAGS),
        ),
        Contender::new("growthbook-rust", growthbook::asking(FLAGS)),
        Contender::of_all(
            "flagsmith-flag-engine, each of 1,000",
            FEW,
            flagsmith::asking(FEW),
        ),
    ];
    for contender in &mut contenders {
        let on = (0..USERS).filter(|user| contender.ask(*user)).count();
        // Some of those whom the conditions admit, as the rollout is for half of them.
        assert!((1..ADMITTED).contains(&on), "{}: {on}", contender.name);
    }
    let times = compare(&mut contenders);
    println!(
        "{:<44}{:>12}{:>12}{:>12}",
        "an evaluation", "median, ns", "least, ns", "times ours"
    );
    for (contender, time) in contenders.iter().zip(&times) {
        println!(
            "{:<44}{:>12.1}{:>12.1}{:>12.1}",
            contender.name, time.median, time.least, time.times_first
        );
    }
}
