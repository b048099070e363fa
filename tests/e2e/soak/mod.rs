//! Real processes among what comes and goes without end: streams, edges, relays, keys, flags, projects, members, tenants, webhooks,
//! imports, change sets. All that they take, in memory and in the database, has to be the same after an hour as after a third of
//! it, but for what is kept on purpose; and what is kept has to go with its organization, or with time.
//!
//! `./dev soak` takes an hour. Without `HALYARD_SOAK_MINUTES` it is so short that only the end is judged. `HALYARD_SOAK_KINDS` leaves
//! kinds out, to find which of them makes something grow.

mod churn;
mod end;
mod planted;
mod sample;
mod slope;
mod verdict;
mod world;

use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};

use churn::Churn;
use end::Rows;
use sample::Samples;
use world::World;

const USUAL_MINUTES: f64 = 0.1;
/// Measured so often in one run, but not more often than each second.
const SAMPLES: f64 = 720.0;

/// Measures while all comes and goes.
async fn watch(world: &World, churn: &mut Churn, time: Duration) -> Samples {
    let pause = time.div_f64(SAMPLES).max(Duration::from_secs(1));
    let mut ticks = interval(pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let began = Instant::now();
    let mut samples = Samples::default();
    while began.elapsed() < time {
        ticks.tick().await;
        samples
            .take(began.elapsed().as_secs_f64(), &world.nodes)
            .await;
        samples
            .take_tables(began.elapsed().as_secs_f64(), &world.pool)
            .await;
        if let Some(failure) = churn.failed() {
            panic!("{failure}, samples in {}", samples.save().display());
        }
    }
    samples
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_grows_for_good_whatever_comes_and_goes() {
    let minutes = std::env::var("HALYARD_SOAK_MINUTES").ok();
    let minutes = minutes.map_or(USUAL_MINUTES, |text| text.parse().expect("a number"));
    let time = Duration::from_secs_f64(60.0 * minutes);
    let mut before = Rows::new();
    let mut world = World::start(async |pool| before = end::rows(pool).await).await;
    let mut churn = Churn::start(&world);
    let samples = watch(&world, &mut churn, time).await;
    churn.stop().await;
    println!("{minutes} minutes: {:?}", churn.turns());
    println!("samples in {}", samples.save().display());

    // Warm after a third.
    let trends = verdict::trends(&samples.since(time.as_secs_f64() / 3.0));
    for trend in &trends {
        println!("{trend}");
    }
    end::leave(&world).await;
    let left = end::left(&world.pool, &before).await;
    println!("left of all that has gone: {left:?}");
    let pool = world.pool.clone();
    world.restart_around(end::age(&pool, &left)).await;
    end::time_has_taken(&pool, &before).await;
    let grown: Vec<_> = trends.iter().filter(|trend| trend.is_growth()).collect();
    assert!(grown.is_empty(), "{} grow", grown.len());
    assert_eq!(world.panicked().await, Vec::<String>::new());
}
