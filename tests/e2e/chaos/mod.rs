//! Real processes under load, killed, frozen, cut off and deprived of their disks and their database at random moments. All that
//! clients asked and were answered is a history, which one checker judges.
//!
//! A seed decides which faults there are, where, when and for how long; what meets what is up to the machine. A failure prints the
//! seed and leaves the history as lines of JSON. `HALYARD_CHAOS_ROUNDS` and `HALYARD_CHAOS_SEED` ask for other rounds than the usual
//! few: `./dev chaos`.

mod check;
mod clocks;
mod end;
mod faults;
mod history;
mod load;
mod recorder;
mod summary;
mod world;

use std::time::Duration;

use harness::eventually;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::time::sleep;

use check::violations;
use faults::{Fault, Over};
use history::{Span, Strike};
use load::Load;
use summary::Summary;
use world::World;

/// So many rounds share their processes and their database.
const ROUNDS_OF_A_WORLD: u64 = 10;
/// The faults of a round begin within this time, and last at most for the next.
const BEGIN: u64 = 1_500;
const LAST: u64 = 3_000;

fn number(setting: &str, usual: u64) -> u64 {
    let given = std::env::var(setting).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A fault with its moments.
struct Planned {
    fault: Fault,
    begins: Duration,
    ends: Duration,
    /// When it was, once it was.
    began: Option<Duration>,
    ended: Option<Duration>,
}

fn plan(rng: &mut StdRng, world: &World) -> Vec<Planned> {
    let mut planned: Vec<Planned> = Vec::new();
    let wanted = rng.random_range(2..=4);
    while planned.len() < wanted {
        let Some(fault) = Fault::draw(rng).possible(world) else {
            continue;
        };
        let begins = Duration::from_millis(rng.random_range(0..BEGIN));
        let lasts = Duration::from_millis(rng.random_range(100..LAST));
        if planned.iter().all(|other| fault.goes_with(other.fault)) {
            planned.push(Planned {
                fault,
                begins,
                ends: begins + lasts,
                began: None,
                ended: None,
            });
        }
    }
    planned
}

/// Inflicts the faults of a round at their moments, and waits until all is as before; how long that took after the last ended.
async fn round(world: &mut World, rng: &mut StdRng) -> (Vec<Strike>, Duration) {
    let mut planned = plan(rng, world);
    let began = world.recorder.now();
    let mut steps: Vec<_> = (0..planned.len())
        .flat_map(|number| {
            [
                (planned[number].begins, number),
                (planned[number].ends, number),
            ]
        })
        .collect();
    steps.sort_unstable();
    for (at, number) in steps {
        sleep((began + at).saturating_sub(world.recorder.now())).await;
        let planned = &mut planned[number];
        if planned.began.is_none() {
            planned.began = Some(world.recorder.now());
            planned.fault.inflict(world).await;
        } else {
            planned.fault.heal(world).await;
            planned.ended = Some(world.recorder.now());
        }
    }
    let ended = world.recorder.now();
    let mut strikes = Vec::new();
    for planned in planned {
        let from = planned.began.expect("all of them began");
        let to = match planned.fault.is_over(world).await {
            Over::WithIt => planned.ended.expect("all of them ended"),
            Over::Now => world.recorder.now(),
        };
        strikes.push(planned.fault.strike(Span { from, to }));
    }
    world.recorder.history().strikes.extend(strikes.clone());
    for server in 0..2 {
        let version = eventually("a control plane writes", async || {
            world.writer.change_pair(server).await
        });
        world.converges_to(version.await).await;
    }
    let converged = world.recorder.now() - ended;
    end::look_at_histories(world).await;
    (strikes, converged)
}

/// So many rounds on one world, and what is wrong afterwards.
async fn rounds(seed: u64, count: u64, summary: &mut Summary) {
    println!("seed {seed}: {count} rounds");
    let mut rng = StdRng::seed_from_u64(seed);
    let mut world = World::start(seed).await;
    let load = Load::start(&world.recorder, &world.writer, &world.places);
    for number in 0..count {
        let (strikes, converged) = round(&mut world, &mut rng).await;
        let faults: Vec<_> = strikes.iter().map(|strike| &*strike.what).collect();
        println!("round {number}: {}: {converged:.1?}", faults.join(", "));
        summary.round(&strikes, converged);
    }
    load.stop().await;
    end::look(&world).await;
    let found = violations(&world.recorder.history());
    summary.history(&world.recorder.history(), &found);
    let panicked = world.panicked();
    if !found.is_empty() || !panicked.is_empty() {
        for violation in found.iter().take(20) {
            println!("{violation:?}");
        }
        panic!(
            "{} violations with seed {seed}, panics of {panicked:?}",
            found.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_wrong_whatever_fails() {
    let seed = number("HALYARD_CHAOS_SEED", 1);
    let mut left = number("HALYARD_CHAOS_ROUNDS", 5);
    let mut summary = Summary::default();
    for world in 0.. {
        if left == 0 {
            break;
        }
        let count = left.min(ROUNDS_OF_A_WORLD);
        rounds(seed + world, count, &mut summary).await;
        left -= count;
    }
    println!("{summary}");
}
