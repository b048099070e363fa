//! How much is evaluated, and the first evaluation of all.

use harness::Caller;
use harness::sse::{Event, Stream};
use serde_json::{Value, json};

use super::{Setup, fields, follow};

async fn evaluate(sdk: &Caller, flag_key: &str) -> u16 {
    let body = json!({"flag_key": flag_key, "context": {"key": "user-1"}});
    sdk.post("/v1/evaluate", body).await.status
}

fn per_minute(event: &Event) -> i64 {
    event.data["window"]["evaluations_per_minute"]
        .as_i64()
        .unwrap()
}

/// The next event in which so much is evaluated.
async fn rate(stream: &mut Stream, expected: i64) -> Event {
    loop {
        let event = stream.next_named("usage").await;
        assert_eq!(event.id, None, "nobody comes back to it");
        if per_minute(&event) == expected {
            return event;
        }
    }
}

/// The event that tells of the first evaluation.
async fn first(stream: &mut Stream) -> Event {
    loop {
        let event = stream.next_named("usage").await;
        if event.data["first_evaluation"].is_object() {
            return event;
        }
    }
}

async fn sdk(setup: &Setup) -> Caller {
    let key = setup.owner.api_key(&setup.project.dev).await;
    setup.app.anonymous().with_key(&key)
}

#[tokio::test]
async fn the_first_evaluation_is_told_once_at_every_replica() {
    let setup = Setup::new().await;
    setup.flag("checkout").await;
    let sdk = sdk(&setup).await;
    let elsewhere = setup.owner.at(&setup.app.another_replica().await);
    let (mut here, _) = follow(&setup.owner).await;
    let (mut there, _) = follow(&elsewhere).await;
    for stream in [&mut here, &mut there] {
        let event = rate(stream, 0).await;
        assert_eq!(event.data, json!({"window": {"evaluations_per_minute": 0}}));
    }
    // A key that no flag has is counted, and is none.
    evaluate(&sdk, "unknown").await;
    for stream in [&mut here, &mut there] {
        let event = rate(stream, 1).await;
        assert_eq!(event.data, json!({"window": {"evaluations_per_minute": 1}}));
    }
    assert_eq!(evaluate(&sdk, "checkout").await, 200);
    for stream in [&mut here, &mut there] {
        let event = first(stream).await;
        let at = &event.data["first_evaluation"]["at"];
        let expected = json!({
            "window": {"evaluations_per_minute": 2},
            "first_evaluation": {"flag_key": "checkout", "env_id": setup.project.dev, "at": at},
        });
        assert_eq!(event.data, expected);
        assert_eq!(*at, json!("2026-05-04T12:00:00Z"));
    }
    assert_eq!(evaluate(&sdk, "checkout").await, 200);
    for stream in [&mut here, &mut there] {
        let event = rate(stream, 3).await;
        assert_eq!(fields(&event.data), ["window"]);
    }

    // Whoever comes later is told how much it is, and not that it began.
    let (mut late, _) = follow(&setup.owner).await;
    let event = rate(&mut late, 3).await;
    assert_eq!(event.data["first_evaluation"], Value::Null);
}

#[tokio::test]
async fn another_organization_hears_nothing_of_it() {
    let setup = Setup::new().await;
    setup.flag("checkout").await;
    let sdk = sdk(&setup).await;
    let stranger = setup.app.signup("stranger").await;
    let (mut theirs, _) = follow(&stranger).await;
    let (mut ours, _) = follow(&setup.owner).await;
    assert_eq!(evaluate(&sdk, "checkout").await, 200);
    assert_eq!(per_minute(&first(&mut ours).await), 1);
    let quiet = rate(&mut theirs, 0).await;
    assert_eq!(fields(&quiet.data), ["window"]);
    let project = json!({"name": "Theirs"});
    stranger.create("/v1/projects", project).await;
    loop {
        let event = theirs.next().await.unwrap();
        assert_ne!(event.name, "usage", "{event:?}");
        if event.name == "change" {
            break;
        }
    }
}

#[tokio::test]
async fn what_is_not_evaluated_any_more_counts_for_a_minute() {
    let setup = Setup::new().await;
    setup.flag("checkout").await;
    let sdk = sdk(&setup).await;
    let (mut stream, _) = follow(&setup.owner).await;
    for _ in 0..10 {
        assert_eq!(evaluate(&sdk, "checkout").await, 200);
    }
    rate(&mut stream, 10).await;
    // Half of the next minute has passed.
    setup
        .app
        .clock
        .advance(std::time::Duration::from_secs(60 + 30));
    rate(&mut stream, 5).await;
    setup.app.clock.advance(std::time::Duration::from_secs(60));
    rate(&mut stream, 0).await;
}
