//! Random operations of several members, beside a model of the contract: after each the answer, the audit log, the lists and what
//! the edge serves are the model's. A failure names its seed, and the shortest of its sequences that was found to fail.
//!
//! `HALYARD_MODEL_SEEDS=from..to` runs others than the usual few.

mod contract;
mod operations;
mod world;

use std::ops::Range;

use rand::{SeedableRng, rngs::StdRng};

use contract::Model;
use operations::Step;
use world::{World, compare};

const STEPS: usize = 80;
/// Sequences that are tried to find a shorter one.
const TRIES: usize = 40;

fn seeds() -> Range<u64> {
    let given = std::env::var("HALYARD_MODEL_SEEDS").ok();
    given.map_or(0..3, |given| {
        let (from, to) = given.split_once("..").expect("from..to");
        from.parse().expect("a number")..to.parse().expect("a number")
    })
}

fn sequence(seed: u64) -> Vec<Step> {
    let mut rng = StdRng::seed_from_u64(seed);
    std::iter::repeat_with(|| Step::draw(&mut rng))
        .take(STEPS)
        .collect()
}

/// What went wrong, and at which step.
async fn run(steps: &[Step]) -> Result<(), (usize, String)> {
    let mut world = World::new().await;
    let mut model = Model::default();
    for (number, step) in steps.iter().enumerate() {
        let before = world.recorded().await;
        let expected = model.apply(step);
        let status = world.take(step).await;
        let recorded = world.recorded().await - before;
        if let Some(difference) = compare(step, expected, status, recorded) {
            return Err((number, difference));
        }
        let differences = world.differences(&model).await;
        if !differences.is_empty() {
            return Err((
                number,
                format!("after {step:?}: {}", differences.join("; ")),
            ));
        }
    }
    Ok(())
}

/// Leaves out what it takes not to fail, in ever smaller pieces.
async fn shorten(mut steps: Vec<Step>, mut failure: String) -> (Vec<Step>, String) {
    let mut piece = steps.len() / 2;
    let mut tries = 0;
    while piece > 0 {
        let mut start = 0;
        while start < steps.len() && tries < TRIES {
            tries += 1;
            let mut fewer = steps.clone();
            fewer.drain(start..(start + piece).min(steps.len()));
            match run(&fewer).await {
                Ok(()) => start += piece,
                Err((number, other)) => {
                    fewer.truncate(number + 1);
                    (steps, failure) = (fewer, other);
                }
            }
        }
        piece /= 2;
    }
    (steps, failure)
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_members_do_the_service_is_what_the_contract_makes_of_it() {
    for seed in seeds() {
        let mut steps = sequence(seed);
        if let Err((number, failure)) = run(&steps).await {
            steps.truncate(number + 1);
            let (steps, failure) = shorten(steps, failure).await;
            panic!("seed {seed}: {failure}\nafter {steps:#?}");
        }
    }
}

/// Two members act at once: it is as if one had been first. Where both orders explain all that can be seen, both are kept.
#[tokio::test(flavor = "multi_thread")]
async fn two_who_act_at_once_act_one_after_the_other() {
    for seed in seeds() {
        let mut world = World::new().await;
        let mut models = vec![Model::default()];
        for pair in sequence(1_000 + seed).chunks_exact(2) {
            let before = world.recorded().await;
            let statuses: [u16; 2] =
                tokio::join!(world.take(&pair[0]), world.take(&pair[1])).into();
            let recorded = world.recorded().await - before;
            let mut explained: Vec<Model> = Vec::new();
            for (mut after, order) in models
                .iter()
                .flat_map(|it| [[0, 1], [1, 0]].map(|order| (it.clone(), order)))
            {
                let outcomes = order.map(|place| after.apply(&pair[place]));
                let entries = outcomes
                    .iter()
                    .filter(|outcome| outcome.is_recorded)
                    .count();
                let mut answers = order.iter().zip(outcomes);
                if answers.all(|(&place, outcome)| outcome.status == statuses[place])
                    && i64::try_from(entries) == Ok(recorded)
                    && !explained.contains(&after)
                    && world.differences(&after).await.is_empty()
                {
                    explained.push(after);
                }
            }
            assert!(
                !explained.is_empty(),
                "seed {seed}: {pair:#?}\nanswered {statuses:?} with {recorded} entries, which no order explains; before: {models:#?}"
            );
            models = explained;
        }
    }
}
