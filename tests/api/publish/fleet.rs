//! The fleet as members see it, and writes that wait for it.

use harness::user::DefaultProject;
use harness::{App, Response, User, eventually};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::replica::{Manual, Replica};

/// The built-in edges that hold an environment of the owner's organization at its current version, by name.
async fn holders(owner: &User, env_id: &str, expected: usize) -> Vec<String> {
    eventually("all edges hold the environment", || async {
        let fleet = owner.get("/v1/edges").await;
        let holds = |edge: &&Value| {
            let environments = edge["environments"].as_array().unwrap();
            environments
                .iter()
                .any(|held| held["env_id"] == env_id && held["version"] == held["current_version"])
        };
        let edges = fleet.body["data"].as_array().unwrap();
        let holders: Vec<_> = edges.iter().filter(holds).map(name).collect();
        (holders.len() == expected).then_some(holders)
    })
    .await
}

fn name(edge: &Value) -> String {
    edge["name"].as_str().unwrap().to_owned()
}

/// Creates a flag, and waits for the edges.
async fn create_flag(owner: &User, project: &DefaultProject, key: &str) -> Response {
    let path = format!("/v1/projects/{}/flags?wait=edges", project.id);
    owner.create(&path, json!({"key": key, "name": key})).await
}

#[tokio::test]
async fn the_built_in_edge_is_listed_with_what_it_holds_of_the_organization() {
    let (app, owner, project) = App::with_project().await;
    let _other = app.signup("globex").await;
    for env_id in [&project.dev, &project.staging, &project.production] {
        holders(&owner, env_id, 1).await;
    }

    let mut fleet = owner.get("/v1/edges").await;
    let edge = &mut fleet.body["data"][0];
    assert!(name(edge).starts_with("built-in-"));
    let environments = edge["environments"].take();
    let mut ids: Vec<_> = environments
        .as_array()
        .unwrap()
        .iter()
        .map(|held| {
            assert_eq!(held["version"], held["current_version"]);
            assert!(held["age_ms"].is_u64());
            held["env_id"].as_str().unwrap().to_owned()
        })
        .collect();
    ids.sort_unstable();
    let mut expected = [project.dev, project.staging, project.production];
    expected.sort_unstable();
    assert_eq!(ids, expected);
    fleet.expect(
        200,
        json!({
            "data": [{
                "name": "[text]", "region": null, "kind": "built-in", "connected": true,
                "connected_since": "[time]", "last_seen_at": "[time]", "build": "[text]", "rtt_ms": null,
                "certificate_expires_at": null, "evaluations_per_minute": 0, "lag": [], "environments": null,
            }],
            "total": 1, "may_enroll": false, "regions": ["us", "eu", "in"],
        }),
    );
}

#[tokio::test]
async fn an_edge_is_listed_in_its_region_also_while_it_is_away() {
    let (app, owner) = App::with_owner().await;
    for (edge, region) in [("us-1", Some("us")), ("eu-1", Some("eu")), ("any", None)] {
        sqlx::query(
            "INSERT INTO edge_certificates (fingerprint, name, region, issued_at, expires_at)
             VALUES (decode(repeat(md5($1), 2), 'hex'), $1, $2, $3, $3 + interval '1 day')",
        )
        .bind(edge)
        .bind(region)
        .bind(app.clock.now())
        .execute(app.pool())
        .await
        .unwrap();
    }
    let mut fleet = owner.get("/v1/edges").await;
    let edges = fleet.body["data"].as_array_mut().unwrap();
    edges.retain(|edge| edge["connected"] == false);
    for edge in edges.iter_mut() {
        assert!(edge["certificate_expires_at"].is_string());
        edge["certificate_expires_at"] = "[time]".into();
    }
    let away = |name: &str, region: Option<&str>| {
        json!({
            "name": name, "region": region, "kind": "edge", "connected": false, "connected_since": null,
            "last_seen_at": null, "build": null, "rtt_ms": null, "certificate_expires_at": "[time]",
            "environments": [],
        })
    };
    assert_eq!(*edges, [away("any", None), away("us-1", Some("us"))]);
}

#[tokio::test]
async fn a_write_names_the_edges_of_all_replicas_that_serve_it() {
    let (app, owner, project) = App::with_project().await;
    let other = app.another_publisher();
    let replica = Replica::follow(&other);
    let names = holders(&owner, &project.dev, 2).await;

    let created = create_flag(&owner, &project, "f").await;
    assert_eq!(created.header("x-edges-acknowledged"), names.join(","));
    assert_eq!(created.header("x-edges-lagging"), "");
    let held = replica.environment(&project.dev).unwrap();
    assert!(held.flags.iter().any(|flag| flag.key == "f"));

    let gone = format!(
        "/v1/projects/{}/environments/{}?wait=edges",
        project.id, project.dev
    );
    let deleted = owner.remove(&gone).await;
    assert_eq!(deleted.header("x-edges-acknowledged"), names.join(","));
}

#[tokio::test]
async fn a_write_names_the_edges_that_lag_and_is_answered_all_the_same() {
    let (app, owner) = App::with_owner_and(&[("EDGES_WAIT", "300ms")]).await;
    let project = owner.default_project().await;
    let before = holders(&owner, &project.dev, 1).await;
    let other = app.another_publisher();
    let mut slow = Manual::holding_all(&other, 3).await;
    let both = holders(&owner, &project.dev, 2).await;
    let lagging: Vec<_> = both
        .into_iter()
        .filter(|name| !before.contains(name))
        .collect();

    let created = create_flag(&owner, &project, "f").await;
    assert_eq!(created.header("x-edges-acknowledged"), before.join(","));
    assert_eq!(created.header("x-edges-lagging"), lagging.join(","));

    // Lagging ends with the acknowledgement, however late.
    for _ in 0..3 {
        let push = slow.receive().await;
        slow.apply(push);
    }
    holders(&owner, &project.dev, 2).await;
}

#[tokio::test]
async fn an_organization_has_eight_writes_that_wait_for_edges_and_others_have_theirs() {
    let app = App::start_with(&[("EDGES_WAIT", "1h")]).await;
    let (owner, other) = (app.signup("acme").await, app.signup("globex").await);
    let (project, of_other) = (owner.default_project().await, other.default_project().await);
    let publisher = app.another_publisher();
    let _silent = Manual::holding_all(&publisher, 6).await;
    let stored = async |user: &User, project: &DefaultProject, flags: u64| {
        let path = format!("/v1/projects/{}/flags", project.id);
        eventually("the flags are stored", async || {
            (user.get(&path).await.body["total"] == flags).then_some(())
        })
        .await;
    };
    let write = |user: &User, project: &DefaultProject, key: usize| {
        let (user, project) = (user.clone(), project.clone());
        AbortOnDropHandle::new(tokio::spawn(async move {
            create_flag(&user, &project, &format!("f{key}")).await;
        }))
    };
    let waiting: Vec<_> = (0..8).map(|key| write(&owner, &project, key)).collect();
    stored(&owner, &project, 8).await;

    let path = format!("/v1/projects/{}/flags?wait=edges", project.id);
    let ninth = json!({"key": "ninth", "name": "ninth"});
    let refused = owner.post(&path, ninth.clone()).await;
    refused.expect_error(429, "too many writes wait for edges");
    assert_eq!(refused.header("retry-after"), "1");
    stored(&owner, &project, 8).await;
    let _waiting_too = write(&other, &of_other, 0);
    stored(&other, &of_other, 1).await;

    // Whoever leaves gives the place back. Whoever has it gets no answer before the edges have answered.
    drop(waiting);
    let ninth_waits = AbortOnDropHandle::new(tokio::spawn({
        let (owner, path) = (owner.clone(), path.clone());
        async move {
            eventually("there is a place again", async || {
                let answer = owner.post(&path, ninth.clone()).await;
                (answer.status != 429).then_some(())
            })
            .await;
        }
    }));
    let ninth_flag = format!("/v1/projects/{}/flags/ninth", project.id);
    eventually("the ninth flag is stored", async || {
        (owner.get(&ninth_flag).await.status == 200).then_some(())
    })
    .await;
    drop(ninth_waits);
}

#[tokio::test]
async fn a_write_that_waits_for_edges_gets_its_turn_where_eight_organizations_have_all_places() {
    let app = App::start_with(&[("EDGES_WAIT", "8s")]).await;
    let publisher = app.another_publisher();
    let mut users = Vec::new();
    for number in 0..9 {
        let user = app.signup(&format!("org{number}")).await;
        let project = user.default_project().await;
        users.push((user, project));
    }
    let _silent = Manual::holding_all(&publisher, 27).await;
    let (last, last_project) = users.pop().unwrap();
    let waiting: Vec<_> = users
        .iter()
        .flat_map(|user| (0..8).map(move |number| (user.clone(), number)))
        .map(|((user, project), number)| {
            AbortOnDropHandle::new(tokio::spawn(async move {
                create_flag(&user, &project, &format!("f{number}")).await;
            }))
        })
        .collect();
    for (user, project) in &users {
        let path = format!("/v1/projects/{}/flags", project.id);
        eventually("the flags are stored", async || {
            (user.get(&path).await.body["total"] == 8).then_some(())
        })
        .await;
    }
    let created = create_flag(&last, &last_project, "f").await;
    created.expect_status(201);
    drop(waiting);
}

#[tokio::test]
async fn a_write_that_does_not_ask_names_no_edges() {
    let (_app, owner, project) = App::with_project().await;
    let path = format!("/v1/projects/{}/flags", project.id);
    let created = owner.post(&path, json!({"key": "f", "name": "F"})).await;
    for header in ["x-edges-acknowledged", "x-edges-lagging"] {
        assert!(!created.headers.contains_key(header));
    }
}
