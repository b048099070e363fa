//! The setting that has edges keep samples of requests.

use std::time::Duration;

use harness::{App, Setup, statuses};
use serde_json::{Value, json};

use crate::trail;

pub(super) fn path(project: &str, env: &str) -> String {
    format!("/v1/projects/{project}/environments/{env}/sampling")
}

#[tokio::test]
async fn sampling_is_off_until_it_is_switched_on_and_every_change_is_told() {
    let Setup {
        app,
        owner,
        project,
    } = Setup::new().await;
    let dev = path(&project.id, "dev");
    let off = json!({"enabled": false, "attributes": [], "keys": "hashed", "enabled_at": null});
    owner.get(&dev).await.expect(200, off.clone());
    let on = owner
        .put(
            &dev,
            json!({"enabled": true, "attributes": ["plan", "country", "plan"]}),
        )
        .await;
    let shown = json!({
        "enabled": true, "attributes": ["country", "plan"], "keys": "hashed", "enabled_at": "[time]",
    });
    on.expect(200, shown);
    assert_eq!(owner.get(&dev).await.body, on.body);
    app.clock.advance(Duration::from_secs(60));
    let plain = json!({"enabled": true, "keys": "plain"});
    let changed = owner.put(&dev, plain.clone()).await;
    let expected = json!({
        "enabled": true, "attributes": [], "keys": "plain", "enabled_at": on.body["enabled_at"],
    });
    assert_eq!(changed.body, expected);
    // What is so already is not told again.
    assert_eq!(owner.put(&dev, plain).await.body, expected);
    owner
        .put(&dev, json!({"enabled": false}))
        .await
        .expect(200, off.clone());

    let entries = trail::of_action(&app, &owner, "environment.sampling_changed").await;
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (&entry["before_state"], &entry["after_state"]))
        .collect();
    let (on, changed) = (&on.body, &changed.body);
    assert_eq!(told, [(&off, on), (on, changed), (changed, &off)]);
    assert_eq!(entries[0]["resource_id"], project.dev);
    assert_eq!(entries[0]["project_id"], project.id);
}

#[tokio::test]
async fn sampling_is_refused_by_what_is_wrong_with_it() {
    let setup = Setup::new().await;
    let Setup { owner, project, .. } = &setup;
    let dev = path(&project.id, "dev");
    let many: Vec<_> = (0..21).map(|number| number.to_string()).collect();
    for (body, message) in [
        (json!({}), "enabled is required"),
        (
            json!({"enabled": true, "keys": "clear"}),
            "keys must be hashed or plain",
        ),
        (
            json!({"enabled": true, "attributes": many}),
            "attributes: at most 20",
        ),
        (
            json!({"enabled": true, "attributes": [" "]}),
            "attributes: each needs a name",
        ),
        (
            json!({"enabled": true, "attributes": ["a".repeat(101)]}),
            "attributes: each has at most 100 characters",
        ),
        (
            json!({"enabled": true, "attributes": ["key"]}),
            "attributes: key is no attribute; keys says how it is kept",
        ),
    ] {
        owner.put(&dev, body).await.expect_error(400, message);
    }
    let refused = owner
        .put(&path(&project.id, "nowhere"), json!({"enabled": true}))
        .await;
    refused.expect_error(404, "environment not found");
}

#[tokio::test]
async fn sampling_of_a_protected_environment_is_for_those_who_guard_it() {
    let Setup {
        app,
        owner,
        project,
    } = Setup::new().await;
    let developer = app.member(&owner, "developer").await;
    let dev = path(&project.id, "dev");
    let on = json!({"enabled": true});
    assert_eq!(developer.put(&dev, on.clone()).await.status, 200);
    let env = format!("/v1/projects/{}/environments/dev", project.id);
    owner.change(&env, json!({"protected": true})).await;
    let refused = developer.put(&dev, json!({"enabled": false})).await;
    refused.expect_error(403, "insufficient permissions");
    assert_eq!(owner.get(&dev).await.body["enabled"], true);
    owner.change(&dev, json!({"enabled": false})).await;
}

#[tokio::test]
async fn sampling_is_refused_beyond_twenty_environments_also_when_two_are_switched_on_at_once() {
    let Setup {
        app,
        owner,
        project,
    } = Setup::new().await;
    let (one, other) = (path(&project.id, "dev"), path(&project.id, "staging"));
    app.execute(
        "WITH made AS (
             INSERT INTO environments (id, org_id, project_id, name, slug, color, version, created_at, updated_at)
             SELECT gen_random_uuid(), org_id, project_id, 'e' || n, 'e-' || n, color, version, created_at, updated_at
             FROM environments, generate_series(1, 19) AS n
             WHERE id = $1::uuid
             RETURNING id, org_id, slug
         )
         INSERT INTO environment_sampling SELECT id, org_id, '{}', 'hashed', now(), substr(slug, 3)::smallint FROM made",
        &[&project.dev],
    )
    .await;
    let second = owner.create("/v1/projects", json!({"name": "Other"})).await;
    let third = format!("/v1/projects/{}/environments", second.text("/id"));
    owner.create(&third, json!({"name": "Live"})).await;
    let third = path(&second.text("/id"), "live");
    for _ in 0..5 {
        let on = json!({"enabled": true});
        let (of_one, of_third) = tokio::join!(owner.put(&one, on.clone()), owner.put(&third, on));
        let mut both = statuses([&of_one, &of_third]);
        both.sort_unstable();
        assert_eq!(both, [200, 400]);
        let refused = if of_one.status == 400 {
            &of_one
        } else {
            &of_third
        };
        refused.expect_error(
            400,
            "at most 20 environments of an organization are sampled",
        );
        assert_eq!(places(&app).await, (1..=20).collect::<Vec<i16>>());
        for path in [&one, &third] {
            owner.put(path, json!({"enabled": false})).await;
        }
    }
    // Whoever comes later takes what was left, so that nobody's second environment comes before another's first.
    app.execute(
        "UPDATE environment_sampling SET enabled_at = NULL WHERE place = 7",
        &[],
    )
    .await;
    owner
        .put(&one, json!({"enabled": true}))
        .await
        .expect_status(200);
    assert_eq!(places(&app).await, (1..=19).collect::<Vec<i16>>());
    // Attributes alone may be set.
    let more = owner
        .put(&other, json!({"enabled": false, "attributes": ["plan"]}))
        .await;
    assert_eq!(more.body["enabled_at"], Value::Null);
}

/// Those that environments have, from the first on.
async fn places(app: &App) -> Vec<i16> {
    let taken = "SELECT array_agg(place ORDER BY place) FROM environment_sampling WHERE enabled_at IS NOT NULL";
    app.value(taken, &[]).await
}
