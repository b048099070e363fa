//! Random operations of several members, beside a model of the contract: after each the answer, what is shown of it, the audit log, the
//! lists, keys and what the edge serves are the model's, and in the end the events that a webhook was told. A failure names its seed,
//! and the shortest of its sequences that was found to fail.
//!
//! `HALYARD_MODEL_SEEDS=from..to` runs others than the usual few.

mod approvals;
mod change_sets;
mod contract;
mod draw;
mod environments;
mod flags;
mod names;
mod operations;
mod schedules;
mod send;
mod told;
mod world;

use std::{collections::BTreeSet, iter, ops::Range};

use rand::{SeedableRng, rngs::StdRng};

use contract::{Model, Outcome};
use draw::Draw;
use operations::{AHEAD, Actor, Operation, Step};
use world::World;

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
    let mut draw = Draw::new(&mut rng);
    (0..STEPS).map(|number| draw.step(number)).collect()
}

/// What went wrong, and at which step.
async fn run(steps: &[Step]) -> Result<(), (usize, String)> {
    let mut world = World::new().await;
    let mut model = vec![Model::default()];
    for (place, step) in steps.iter().enumerate() {
        let passed = pass(&mut world, model).await;
        model = passed.map_err(|failure| (place, failure))?;
        let expected = model[0].apply(step);
        let answer = world.send(step).await;
        world.note(step, &answer);
        let (status, news) = (answer.status, world.news().await);
        let failure = if expected.is_answered_by(status) && news == entries(step, &expected) {
            world.misshown(step, &answer).await
        } else {
            Some(format!(
                "{step:?}: {expected:?}, but {status} with {news:?}"
            ))
        };
        if let Some(failure) = failure {
            return Err((place, failure));
        }
        world.expect_events(&expected);
        let differences = world.differences(&model[0]).await;
        if !differences.is_empty() {
            let differences = differences.join("; ");
            return Err((place, format!("after {step:?}: {differences}")));
        }
        // Keys that were made to look.
        world.news().await;
    }
    // What is still to come.
    for _ in 0..AHEAD {
        let passed = pass(&mut world, model).await;
        model = passed.map_err(|failure| (steps.len(), failure))?;
    }
    let failure = world.untold(true).await;
    failure.map_or(Ok(()), |failure| Err((steps.len(), failure)))
}

/// Lets a second pass: what is due then is done, and nothing else. Returns the models of which that is so.
async fn pass(world: &mut World, models: Vec<Model>) -> Result<Vec<Model>, String> {
    world.tick();
    let passed = models.into_iter().map(|mut model| (model.tick(), model));
    let mut passed: Vec<_> = passed.collect();
    let due = passed.iter().map(|(fired, _)| fired.actions.len()).max();
    let news = world.fired(due.unwrap_or_default()).await;
    let told: Vec<_> = passed
        .iter()
        .map(|(fired, _)| fired.actions.clone())
        .collect();
    let entry = |action: &&str| (None, (*action).to_owned());
    passed.retain(|(fired, _)| fired.actions.iter().map(entry).eq(news.iter().cloned()));
    let Some((fired, _)) = passed.first() else {
        return Err(format!("{told:?} is due, but there is {news:?}"));
    };
    world.expect_events(fired);
    let models = passed.into_iter().map(|(_, model)| model).collect();
    if news.is_empty() {
        return Ok(models);
    }
    world.served(models).await
}

/// The entries of the audit log that a step leaves.
fn entries(step: &Step, outcome: &Outcome) -> Vec<(Option<Actor>, String)> {
    let entry = |action: &&str| (Some(step.actor), (*action).to_owned());
    let mut entries: Vec<_> = outcome.actions.iter().map(entry).collect();
    entries.sort();
    entries
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

/// The orders in which two who act at once may have acted. Of two who change a change set, one may be told that it was changed meanwhile.
fn orders(pair: &[Step]) -> impl Iterator<Item = [(usize, bool); 2]> + use<> {
    let sets = [pair[0].operation.set(), pair[1].operation.set()];
    let may_be_late = sets[0].is_some() && sets[0] == sets[1];
    let orders = [[0, 1], [1, 0]].into_iter();
    orders.flat_map(move |[first, second]| {
        let late = may_be_late.then_some([(first, false), (second, true)]);
        iter::once([(first, false), (second, false)]).chain(late)
    })
}

/// Two members act at once: it is as if one had been first. Where both orders explain all that can be seen, both are kept.
#[tokio::test(flavor = "multi_thread")]
async fn two_who_act_at_once_act_one_after_the_other() {
    for seed in seeds() {
        let mut world = World::new().await;
        let mut models = vec![Model::default()];
        for pair in sequence(1_000 + seed).chunks_exact_mut(2) {
            for step in &mut *pair {
                // What they look at may change while they do.
                if let Operation::Review { looks, .. } | Operation::ApplySet { looks, .. } =
                    &mut step.operation
                {
                    *looks = false;
                }
            }
            models = pass(&mut world, models)
                .await
                .unwrap_or_else(|failure| panic!("seed {seed}: {failure}; next were {pair:#?}"));
            let answers: [_; 2] = tokio::join!(world.send(&pair[0]), world.send(&pair[1])).into();
            for (step, answer) in pair.iter().zip(&answers) {
                world.note(step, answer);
            }
            let statuses = answers.map(|answer| answer.status);
            let news = world.news().await;
            let (mut explained, mut told): (Vec<Model>, _) = (Vec::new(), Vec::new());
            for (mut after, order) in models
                .iter()
                .flat_map(|it| orders(pair).map(|order| (it.clone(), order)))
            {
                let outcomes = order.map(|(place, is_late)| {
                    let outcome = if is_late {
                        Outcome::refused(409)
                    } else {
                        after.apply(&pair[place])
                    };
                    (place, outcome)
                });
                let entries = outcomes
                    .iter()
                    .flat_map(|(place, outcome)| entries(&pair[*place], outcome));
                let mut expected: Vec<_> = entries.collect();
                expected.sort();
                if outcomes
                    .iter()
                    .all(|(place, outcome)| outcome.is_answered_by(statuses[*place]))
                    && expected == news
                    && !explained.contains(&after)
                    && world.differences(&after).await.is_empty()
                {
                    explained.push(after);
                    told = outcomes.map(|(_, outcome)| outcome).into();
                }
            }
            assert!(
                !explained.is_empty(),
                "seed {seed}: {pair:#?}\nanswered {statuses:?} with {news:?}, which no order explains; before: {models:#?}"
            );
            models = explained;
            told.iter().for_each(|outcome| world.expect_events(outcome));
            world.news().await;
        }
        for _ in 0..AHEAD {
            models = pass(&mut world, models)
                .await
                .unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        }
        let failure = world.untold(false).await;
        assert_eq!(failure, None, "seed {seed}");
    }
}

/// The model alone: what is drawn is neither always refused nor always done.
#[test]
fn every_operation_is_done_and_refused_in_the_sequences_that_are_tried() {
    let mut seen = BTreeSet::new();
    let mut fired = 0;
    for seed in 0..20 {
        let mut model = Model::default();
        for step in sequence(seed) {
            fired += model.tick().actions.len();
            let is_done = model.apply(&step).status / 100 == 2;
            let name = format!("{:?}", step.operation);
            let name = name.split([' ', '(']).next().unwrap_or_default().to_owned();
            seen.insert((name, is_done));
        }
    }
    let names: BTreeSet<_> = seen.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names.len(), 29);
    let missing = names
        .iter()
        .flat_map(|name| [(name.clone(), true), (name.clone(), false)]);
    let missing: Vec<_> = missing.filter(|one| !seen.contains(one)).collect();
    assert_eq!(missing, []);
    assert!(fired > 20, "{fired} schedules fired");
}
