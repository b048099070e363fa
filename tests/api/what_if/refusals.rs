//! Who may not ask, and what.

use std::time::Duration;

use domain::what_if::{change::KEPT, store};
use harness::{Setup, User};
use serde_json::json;

use super::questions::{Scene, off, with};

const OPEN: &str = "another question of the organization is open: it ends after 10 seconds at most";

#[tokio::test]
async fn a_question_is_refused_by_what_is_wrong_with_it() {
    let scene = Scene::start().await;
    let one_of = "one of changes and change_set_id is required";
    let kept = "by must be one of the attributes that are kept";
    let nothing = "the draft changes nothing that is served in the environment";
    let same = json!({"key": "checkout", "states": {"dev": {"enabled": true}}});
    let elsewhere = json!({"key": "checkout", "states": {"staging": {"enabled": true}}});
    for (body, message) in [
        (json!({}), one_of),
        (with("change_set_id", json!("x")), one_of),
        (json!({"change_set_id": "x"}), "change_set_id must be an id"),
        (
            with("wait_seconds", json!(6)),
            "wait_seconds must be an integer from 0 to 5",
        ),
        (
            with("wait_seconds", json!(-1)),
            "wait_seconds must be an integer from 0 to 5",
        ),
        (with("by", json!("country")), kept),
        (with("changes", json!({"flags": [same]})), nothing),
        (with("changes", json!({"flags": [elsewhere]})), nothing),
    ] {
        scene.ask(body).await.expect_error(400, message);
    }
    let unknown = json!({"change_set_id": scene.setup.project.id});
    scene
        .ask(unknown)
        .await
        .expect_error(404, "change set not found");
}

#[tokio::test]
async fn a_question_is_refused_where_nothing_is_sampled() {
    let scene = Scene::start().await;
    let staging = format!(
        "/v1/projects/{}/environments/staging/what-if",
        scene.setup.project.id
    );
    let refused = scene.setup.owner.post(&staging, off()).await;
    refused.expect_error(
        409,
        "edges keep no samples of this environment: switch sampling on first",
    );
}

#[tokio::test]
async fn a_question_is_refused_while_another_is_open() {
    let scene = Scene::start().await;
    scene.ask(off()).await.expect_status(201);
    scene.ask(off()).await.expect_error(409, OPEN);
    scene.setup.app.clock.advance(Duration::from_secs(10));
    scene.ask(off()).await.expect_status(201);
}

#[tokio::test]
async fn of_sixteen_questions_at_once_one_opens() {
    let scene = Scene::start().await;
    let all = futures_util::future::join_all((0..16).map(|_| scene.ask(off()))).await;
    let (opened, refused): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.status == 201);
    assert_eq!(opened.len(), 1);
    let writes = "too many changes of whole projects at once; they are made one at a time";
    for one in refused {
        let (status, message) = if one.status == 429 {
            (429, writes)
        } else {
            (409, OPEN)
        };
        one.expect_error(status, message);
    }
    // Also of other replicas, whatever they hold.
    let second = sqlx::query(
        "INSERT INTO what_if_questions
         SELECT gen_random_uuid(), org_id, env_id, asked_at, version, draft, by_attribute, not_sampled, names_keys, edges, is_open
         FROM what_if_questions",
    );
    let refused = second.execute(scene.setup.app.pool()).await.unwrap_err();
    let constraint = refused.as_database_error().unwrap().constraint();
    assert_eq!(constraint, Some("what_if_questions_open_key"));
}

#[tokio::test]
async fn a_question_is_refused_after_sixty_in_an_hour_and_kept_as_long() {
    let scene = Scene::start().await;
    let app = &scene.setup.app;
    let id = scene.ask(off()).await.text("/id");
    app.clock.advance(Duration::from_secs(10));
    app.execute(
        "INSERT INTO what_if_questions
         SELECT gen_random_uuid(), org_id, env_id, asked_at + interval '1 second', version, '', by_attribute, not_sampled, names_keys,
             edges, false
         FROM what_if_questions, generate_series(1, 59)
         WHERE id = $1::uuid",
        &[&id],
    )
    .await;
    let refused = scene.ask(off()).await;
    refused.expect_error(429, "at most 60 questions of an organization in an hour");
    assert_eq!(refused.headers["retry-after"], "3590");
    app.clock.advance(Duration::from_secs(3_590));
    let owner = scene.setup.owner.sign_in_again().await;
    let old = owner.get(&format!("{}/{id}", scene.path())).await;
    old.expect_error(404, "question not found");
    let mut conn = app.pool().acquire().await.unwrap();
    let than = app.clock.now() - KEPT;
    let deleted = store::delete_some_older(&mut conn, than, 10).await;
    assert_eq!(deleted.unwrap(), 1);
    owner.post(&scene.path(), off()).await.expect_status(201);
}

#[tokio::test]
async fn a_question_is_for_those_who_read_what_drafts_name() {
    let scene = Scene::start().await;
    let Setup {
        app,
        owner,
        project,
    } = &scene.setup;
    let id = scene.ask(off()).await.text("/id");
    let staging = format!(
        "/v1/projects/{}/environments/staging/what-if/{id}",
        project.id
    );
    owner
        .get(&staging)
        .await
        .expect_error(404, "question not found");
    app.set_plan(owner, "enterprise").await;
    let reader: User = app.member(owner, "developer").await;
    app.hold_to(owner, &reader, &["flags.read"]).await;
    let refused = reader.post(&scene.path(), off()).await;
    refused.expect_error(403, "insufficient permissions");
    let viewer: User = app.member(owner, "viewer").await;
    let shown = viewer.get(&format!("{}/{id}", scene.path())).await;
    shown.expect_status(200);
    let stranger = app.signup("stranger").await;
    let theirs = stranger.default_project().await;
    let path = format!("/v1/projects/{}/environments/dev/what-if/{id}", theirs.id);
    stranger
        .get(&path)
        .await
        .expect_error(404, "question not found");
}
