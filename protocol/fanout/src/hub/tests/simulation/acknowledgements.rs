//! What an acknowledgement costs while other writes wait: 150 edges, 200 environments, and a write that waits in each.

use futures_util::FutureExt;

use super::*;

const EDGES: usize = 150;
const ENVIRONMENTS: usize = 200;

/// Whether somebody who waits was told to look, since the last call.
fn was_woken(progress: &Notify) -> bool {
    progress.notified().now_or_never().is_some()
}

fn fleet() -> Fleet {
    let mut fleet = Fleet::new(ENVIRONMENTS);
    fleet.hub.see_all(&fleet.found());
    (0..EDGES).for_each(|_| fleet.connect(Some(1)));
    fleet
}

/// Begins a write of version 2 in each of these environments, of which nobody has heard.
fn writes(fleet: &Fleet, environments: &[EnvId]) -> Vec<(u64, Arc<Notify>)> {
    let begin = |env_id: &EnvId| {
        fleet
            .hub
            .state()
            .begin(&change(2, *env_id), Whom::KeepingUp)
    };
    environments.iter().map(begin).collect()
}

#[tokio::test]
async fn an_acknowledgement_wakes_nobody_but_the_write_that_it_ends() {
    let fleet = fleet();
    let waiting = writes(&fleet, &fleet.environments);
    let first = fleet.environments[0];
    fleet.hub.see(&[seen(first, 2)]);
    for (_, progress) in &waiting {
        was_woken(progress);
    }

    for (number, edge) in fleet.edges.iter().enumerate() {
        assert!(!was_woken(&waiting[0].1), "{number} edges have it");
        edge.send(first, 2);
        edge.acknowledge(first, 2);
    }
    let woken = waiting.iter().filter(|(_, progress)| was_woken(progress));
    let woken: Vec<u64> = woken.map(|(id, _)| *id).collect();
    assert_eq!(woken, [waiting[0].0]);
    assert!(fleet.hub.state().is_over(waiting[0].0));
}

#[tokio::test]
async fn a_write_that_is_given_up_leaves_those_in_other_environments_waiting() {
    let fleet = fleet();
    let [slow, quick] = [fleet.environments[0], fleet.environments[1]];
    let waiting = writes(&fleet, &[slow, slow, quick]);
    fleet.hub.see(&[seen(slow, 2), seen(quick, 2)]);
    let is_over = |number: usize| fleet.hub.state().is_over(waiting[number].0);
    assert!((0..3).all(|number| !is_over(number)));
    for (_, progress) in &waiting {
        was_woken(progress);
    }

    assert_eq!(fleet.hub.state().give_up(waiting[0].0), EDGES);
    assert!(was_woken(&waiting[1].1));
    assert!(
        is_over(0) && is_over(1),
        "nobody waits for what was given up"
    );
    assert!(
        !is_over(2),
        "the edges are about to serve the other environment"
    );
    for edge in &fleet.edges {
        edge.send(quick, 2);
        edge.acknowledge(quick, 2);
    }
    assert!(was_woken(&waiting[2].1) && is_over(2));

    // The slow environment is waited for again once it is acknowledged.
    for edge in &fleet.edges {
        edge.send(slow, 2);
        edge.acknowledge(slow, 2);
    }
    fleet.hub.see(&[seen(slow, 3)]);
    let (next, _) = fleet.hub.state().begin(&change(3, slow), Whom::KeepingUp);
    assert!(!fleet.hub.state().is_over(next));
}

#[tokio::test]
async fn an_acknowledgement_costs_the_same_however_many_writes_wait() {
    println!("{EDGES} edges, {ENVIRONMENTS} environments");
    let mut fleet = fleet();
    let hub = Arc::clone(&fleet.hub);
    let one = [fleet.environments[0]];
    let measured =
        |name: &str, fleet: &mut Fleet| measure(&hub, name, 50, |_| fleet.propagate(&one));
    let alone = measured("a change at all edges, no write waits", &mut fleet);
    let waiting = writes(&fleet, &fleet.environments[1..]);
    let crowded = measured("the same while 199 other writes wait", &mut fleet);
    assert!(waiting.iter().all(|(id, _)| !hub.state().is_over(*id)));
    // Looking through the others would cost two hundred times as much.
    assert!(crowded < 10 * alone.max(Duration::from_micros(100)));
}
