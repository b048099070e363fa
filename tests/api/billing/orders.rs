//! Gateways deliver late, twice and in any order. The same events make the same subscription.

use std::time::Duration;

use harness::User;
use harness::gateways::Event;
use serde_json::{Value, json};

use super::{Scene, check_out, choose_redirect, subscription};

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else {
        return vec![vec![]];
    };
    let mut all = Vec::new();
    for order in orders(last) {
        for at in 0..=last {
            let mut order = order.clone();
            order.insert(at, last);
            all.push(order);
        }
    }
    all
}

/// The life of a subscription, in its order: paid, reported, unpaid, over.
async fn life(scene: &Scene, owner: &User) -> Vec<Event> {
    let redirect = &scene.gateways.redirect;
    check_out(owner).await.expect_status(200);
    let mut events = vec![redirect.pay(&redirect.latest_session()).remove(0)];
    let id = redirect.subscriptions().pop().unwrap();
    events.push(redirect.report(&id));
    events.push(redirect.fail_payment(&id).remove(0));
    events.push(redirect.end_subscription(&id));
    let now = scene.app.clock.now();
    let at = |(second, event): (u64, Event)| event.at(now + Duration::from_secs(second));
    (0..).zip(events).map(at).collect()
}

/// Everything that is left of it but ids.
async fn state(scene: &Scene, owner: &User) -> Value {
    let row: Value = scene.app.value(
        "SELECT to_jsonb(s) - ARRAY['id', 'org_id', 'gateway_ref', 'customer_ref', 'created_at', 'updated_at']
                || jsonb_build_object(
                    'all', (SELECT COUNT(*) FROM subscriptions WHERE org_id = $1::uuid),
                    'has_refs', gateway_ref IS NOT NULL AND customer_ref IS NOT NULL,
                    'events', (SELECT COUNT(*) FROM subscription_events e WHERE e.subscription_id = s.id)
                )
         FROM subscriptions s
         WHERE org_id = $1::uuid",
        &[&owner.org_id],
    )
    .await;
    let onboarding = owner.get("/v1/onboarding").await.body["plan_selected"].clone();
    json!({"row": row, "shown": subscription(owner).await, "plan_selected": onboarding})
}

/// Delivers a life in every order, each event twice; whatever the order, the end is the same.
async fn every_order_twice_ends_the_same(prepare: impl Fn(Event) -> Event) {
    let scene = Scene::quiet().await;
    let mut ends = Vec::new();
    for (at, order) in orders(4).into_iter().enumerate() {
        let owner = scene.app.signup(&format!("org{at}")).await;
        choose_redirect(&owner).await;
        let events = life(&scene, &owner).await;
        let events: Vec<_> = events.into_iter().map(&prepare).collect();
        // At once, or after all others.
        let twice: Vec<usize> = if at.is_multiple_of(2) {
            order.iter().flat_map(|&event| [event, event]).collect()
        } else {
            order.iter().chain(&order).copied().collect()
        };
        for event in twice {
            scene.send(&events[event]).await.expect_status(200);
        }
        ends.push((order, state(&scene, &owner).await));
    }
    let (_, expected) = &ends[0];
    assert_eq!(expected["shown"]["status"], "canceled");
    assert_eq!(expected["shown"]["plan"], "free");
    assert_eq!(expected["row"]["events"], 4);
    for (order, end) in &ends {
        assert_eq!(end, expected, "{order:?}");
    }
}

#[tokio::test]
async fn every_event_in_every_order_twice_leaves_the_same_state() {
    every_order_twice_ends_the_same(|event| event).await;
}

#[tokio::test]
async fn also_when_only_the_first_event_names_the_organization() {
    every_order_twice_ends_the_same(|mut event| {
        if event.kind() != "checkout.session.completed" {
            forget_org(&mut event.body);
        }
        event
    })
    .await;
}

fn forget_org(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("org_id");
            fields.values_mut().for_each(forget_org);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_org),
        _ => {}
    }
}

#[tokio::test]
async fn all_events_at_once_leave_the_same_state() {
    let scene = Scene::quiet().await;
    let events = life(&scene, &scene.owner).await;
    let twice = events.iter().chain(&events);
    let sent = twice.map(|event| scene.send(event));
    for answer in futures_util::future::join_all(sent).await {
        answer.expect_status(200);
    }
    let end = state(&scene, &scene.owner).await;
    assert_eq!(end["shown"]["status"], "canceled");
    assert_eq!(end["shown"]["plan"], "free");
    assert_eq!(end["row"]["events"], 4);
    assert_eq!(end["plan_selected"], true);
}

#[tokio::test]
async fn all_events_at_once_without_the_organization_leave_the_same_state() {
    let scene = Scene::quiet().await;
    let mut events = life(&scene, &scene.owner).await;
    for event in &mut events[1..] {
        forget_org(&mut event.body);
    }
    let sent = events.iter().rev().map(|event| scene.send(event));
    for answer in futures_util::future::join_all(sent).await {
        answer.expect_status(200);
    }
    let end = state(&scene, &scene.owner).await;
    assert_eq!(end["shown"]["status"], "canceled");
    assert_eq!(end["row"]["events"], 4);
}
