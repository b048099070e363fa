//! How far a version is, edge by edge.

use harness::sse::{Event, Stream};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{NEWS, Setup, assert_change, fields, follow};
use crate::publish::replica::Manual;

/// The edges that have acknowledged, and how long each took.
fn acknowledged(wave: &Event) -> Vec<(String, u64)> {
    let edges = wave.data["acknowledged"].as_array().unwrap().iter();
    let one = |edge: &Value| {
        assert_eq!(fields(edge), ["after_ms", "edge"]);
        let after_ms = edge["after_ms"].as_u64().unwrap();
        (edge["edge"].as_str().unwrap().to_owned(), after_ms)
    };
    edges.map(one).collect()
}

fn lagging(wave: &Event) -> Vec<String> {
    serde_json::from_value(wave.data["lagging"].clone()).unwrap()
}

impl Setup {
    /// Switches a flag in `dev`; gives the version.
    async fn switch(&self, key: &str, is_on: bool) -> u64 {
        let path = format!(
            "/v1/projects/{}/flags/{key}/environments/{}",
            self.project.id, self.project.dev
        );
        let put = self.owner.change(&path, json!({"enabled": is_on})).await;
        put.header("x-snapshot-version").parse().unwrap()
    }

    /// The next word of a wave in `dev` of this version or a newer one.
    async fn wave(&self, stream: &mut Stream, version: u64) -> Event {
        loop {
            let wave = stream.next_named("wave").await;
            let is_newer = wave.data["version"].as_u64() >= Some(version);
            if wave.data["env_id"] == *self.project.dev && is_newer {
                return wave;
            }
        }
    }
}

#[tokio::test]
async fn a_wave_tells_which_edges_serve_a_version_and_after_how_long() {
    let setup = Setup::new().await;
    setup.flag("checkout").await;
    let (mut stream, _) = follow(&setup.owner).await;
    let path = format!(
        "/v1/projects/{}/flags/checkout/environments/{}?wait=edges",
        setup.project.id, setup.project.dev
    );
    let put = setup.owner.change(&path, json!({"enabled": true})).await;
    let version: u64 = put.header("x-snapshot-version").parse().unwrap();
    let wave = loop {
        let wave = setup.wave(&mut stream, version).await;
        if lagging(&wave).is_empty() {
            break wave;
        }
    };
    assert_eq!(wave.id, None, "nobody comes back to it");
    let expected = [
        "acknowledged",
        "committed_at",
        "env_id",
        "lagging",
        "version",
    ];
    assert_eq!(fields(&wave.data), expected);
    assert_eq!(wave.data["version"], version);
    let edges: Vec<_> = acknowledged(&wave)
        .into_iter()
        .map(|(edge, _)| edge)
        .collect();
    assert_eq!(edges.join(","), put.header("x-edges-acknowledged"));
    let at = wave.data["committed_at"].as_str().unwrap();
    let at = OffsetDateTime::parse(at, &Rfc3339).unwrap();
    assert_eq!(at.nanosecond() % 1_000, 0, "at most six digits of a second");
    let age = setup.app.clock.now() - at;
    assert!((time::Duration::ZERO..time::Duration::MINUTE).contains(&age));
}

#[tokio::test]
async fn an_edge_of_another_replica_is_told_too_while_it_lags_and_once_it_does_not() {
    let setup = Setup::new().await;
    setup.flag("checkout").await;
    let other = setup.app.another_publisher();
    let mut slow = Manual::holding_all(&other, 3).await;
    let (mut stream, _) = follow(&setup.owner).await;

    // Until the replica has noticed the other one it asks nobody.
    let mut is_on = false;
    let (wave, push) = loop {
        is_on = !is_on;
        let version = setup.switch("checkout", is_on).await;
        let push = slow.receive().await;
        let wave = loop {
            let wave = setup.wave(&mut stream, version).await;
            if !acknowledged(&wave).is_empty() {
                break wave;
            }
        };
        if !lagging(&wave).is_empty() {
            break (wave, push);
        }
        slow.apply(push);
    };
    let quick = acknowledged(&wave);
    assert_eq!((quick.len(), lagging(&wave).len()), (1, 1));
    assert_ne!(quick[0].0, lagging(&wave)[0]);

    slow.apply(push);
    let version = wave.data["version"].as_u64().unwrap();
    let last = setup.wave(&mut stream, version).await;
    assert_eq!(last.data["version"], wave.data["version"]);
    assert_eq!(last.data["committed_at"], wave.data["committed_at"]);
    assert!(lagging(&last).is_empty());
    let both = acknowledged(&last);
    assert_eq!(both.len(), 2);
    assert!(both.contains(&quick[0]), "what was told stays");
    assert!(both.iter().any(|(edge, _)| *edge == lagging(&wave)[0]));
    assert!(both.is_sorted_by_key(|(_, after_ms)| *after_ms));
}

#[tokio::test]
async fn a_wave_of_another_replicas_write_is_told() {
    let setup = Setup::new().await;
    setup.flag("checkout").await;
    let elsewhere = setup.owner.at(&setup.app.another_replica().await);
    let (mut stream, _) = follow(&elsewhere).await;
    // Until the replicas have noticed each other, this one knows of no edge.
    let mut is_on = false;
    loop {
        is_on = !is_on;
        let version = setup.switch("checkout", is_on).await;
        let wave = setup.wave(&mut stream, version).await;
        if !acknowledged(&wave).is_empty() {
            assert!(lagging(&wave).is_empty());
            break;
        }
    }
}

#[tokio::test]
async fn only_owners_and_admins_hear_of_waves_edges_and_usage() {
    let setup = Setup::new().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let (mut heard, _) = follow(&admin).await;
    heard.next_named("usage").await;
    let mut silent = Vec::new();
    for role in ["developer", "viewer"] {
        let member = setup.app.member(&setup.owner, role).await;
        silent.push(follow(&member).await.0);
    }
    let flag_id = setup.flag("checkout").await;
    let version = setup.switch("checkout", true).await;
    setup.wave(&mut heard, version).await;
    sqlx::query(
        "INSERT INTO edge_certificates (fingerprint, name, issued_at, expires_at)
         VALUES (decode(repeat(md5('any'), 2), 'hex'), 'any', $1, $1 + interval '1 day')",
    )
    .bind(setup.app.clock.now())
    .execute(setup.app.pool())
    .await
    .unwrap();
    heard.next_named("edges").await;

    let last = setup.flag("last").await;
    for stream in &mut silent {
        loop {
            let event = stream.next().await.unwrap();
            assert!(!NEWS.contains(&&*event.name), "{event:?}");
            if event.data["resource_id"] == *last {
                break;
            }
            let resource_id = event.data["resource_id"].as_str();
            if event.data["resource_type"] == "flag" {
                assert_eq!(resource_id, Some(&*flag_id));
            }
        }
    }
}

#[tokio::test]
async fn another_organization_hears_of_no_wave() {
    let setup = Setup::new().await;
    let stranger = setup.app.signup("stranger").await;
    let (mut theirs, _) = follow(&stranger).await;
    let (mut ours, _) = follow(&setup.owner).await;
    setup.flag("checkout").await;
    let version = setup.switch("checkout", true).await;
    setup.wave(&mut ours, version).await;
    let project = json!({"name": "Theirs"});
    let project = stranger.create("/v1/projects", project).await;
    loop {
        let event = theirs.next().await.unwrap();
        let own = [
            &setup.project.dev,
            &setup.project.staging,
            &setup.project.production,
        ];
        assert!(own.iter().all(|env_id| event.data["env_id"] != ***env_id));
        if event.name == "change" {
            assert_change(&event, "project.created", &project.text("/id"));
            break;
        }
    }
    // Theirs are told to them.
    let path = format!("/v1/projects/{}/environments", project.text("/id"));
    let made = json!({"name": "Test", "slug": "test"});
    let made = stranger.create(&path, made).await;
    loop {
        let wave = theirs.next_named("wave").await;
        if wave.data["env_id"] == *made.text("/id") {
            break;
        }
    }
}
