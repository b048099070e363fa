//! Operations without HTTP, as imports, identity providers and commands call them: one unit of work, one lock, one version,
//! and an actor who is no member.

use std::time::Duration;

use base::{
    ids::{ApiKeyId, EnvId, FlagId, MemberId, MigrationId, OrgId, ProjectId, ScimTokenId, UserId},
    refusal::{Missing, Refusal},
};
use domain::{
    events::{self, Action, Actor, Event, Subject},
    flags::{
        change::{self, Authority, Place},
        edit,
        input::NewFlag,
        states::input::StatePatch,
    },
    members::{change as members, model::Role},
    unit::{Committed, Draft, Expected, Unit},
};
use harness::Setup;
use serde_json::{Value, json};

use crate::trail;

const FLAGS: usize = 5;

fn import(setup: &Setup) -> (Actor, MigrationId) {
    let id = MigrationId::new(setup.app.clock.now());
    let started_by = UserId::parse(&setup.owner.id).unwrap();
    (Actor::Import { id, started_by }, id)
}

async fn begin(setup: &Setup, actor: Actor) -> Unit {
    let org_id = OrgId::parse(&setup.owner.org_id).unwrap();
    let unit = Unit::begin(setup.app.db(), org_id, actor, setup.app.clock.now());
    unit.await.unwrap()
}

fn project_id(setup: &Setup) -> ProjectId {
    ProjectId::parse(&setup.project.id).unwrap()
}

async fn version(setup: &Setup) -> i64 {
    setup
        .app
        .value(
            "SELECT version FROM projects WHERE id = $1::uuid",
            &[&setup.project.id],
        )
        .await
}

fn flag(number: usize, setup: &Setup) -> domain::flags::model::Flag {
    let body = json!({"key": format!("flag-{number}"), "name": "Imported"});
    let new: NewFlag = serde_json::from_value(body).unwrap();
    new.check(setup.app.clock.now()).unwrap()
}

#[tokio::test]
async fn many_changes_of_an_import_share_one_lock_and_one_version() {
    let setup = Setup::new().await;
    let before = version(&setup).await;
    let (actor, migration_id) = import(&setup);
    let mut unit = begin(&setup, actor).await;
    let locked = unit.lock_project(&setup.app.clock, project_id(&setup));
    let mut project = locked.await.unwrap().unwrap();
    let env_id = EnvId::parse(&setup.project.dev).unwrap();
    let mut last = None;
    for number in 0..FLAGS {
        let flag = flag(number, &setup);
        let (flag_id, flag_type) = (flag.id, flag.flag_type);
        let created = edit::create(&mut project, flag).await.unwrap();
        let patch: StatePatch = serde_json::from_value(json!({"enabled": true})).unwrap();
        let wish = patch.check(flag_type, project.now()).unwrap();
        let (place, draft) = (Place { flag_id, env_id }, Draft::new(wish, None));
        let state = change::update(
            &mut project,
            place,
            draft,
            Authority::Import,
            &Expected::Any,
        );
        last = Some(created.and(state.await.unwrap()));
    }
    let Committed { change, .. } = unit.commit(last.unwrap()).await.unwrap();
    assert_eq!(change.unwrap().version, u64::try_from(before + 1).unwrap());
    assert_eq!(version(&setup).await, before + 1);

    let listed = setup
        .owner
        .get(&format!("/v1/projects/{}/flags", setup.project.id))
        .await;
    assert_eq!(listed.body["total"], FLAGS);
    for action in ["flag.created", "flag.state_updated"] {
        let entries = trail::of_action(&setup.app, &setup.owner, action).await;
        assert_eq!(entries.len(), FLAGS);
        for entry in entries {
            assert_eq!(entry["actor_type"], "user");
            assert_eq!(entry["actor_id"], *setup.owner.id);
            assert_eq!(entry["metadata"]["migration_id"], json!(migration_id));
        }
    }
}

#[tokio::test]
async fn a_unit_that_is_not_committed_never_happened() {
    let setup = Setup::new().await;
    let before = version(&setup).await;
    let entries = trail::length(&setup.app, &setup.owner).await;
    let mut unit = begin(&setup, import(&setup).0).await;
    let locked = unit.lock_project(&setup.app.clock, project_id(&setup));
    let mut project = locked.await.unwrap().unwrap();
    let created = edit::create(&mut project, flag(1, &setup)).await.unwrap();
    drop(created);
    drop(unit);

    assert_eq!(version(&setup).await, before);
    assert_eq!(trail::length(&setup.app, &setup.owner).await, entries);
    let shown = setup
        .owner
        .get(&format!("/v1/projects/{}/flags/flag-1", setup.project.id))
        .await;
    shown.expect_status(404);
}

#[tokio::test]
async fn nothing_of_another_organization_can_be_locked_or_changed() {
    let setup = Setup::new().await;
    let other = setup.app.signup("other").await.default_project().await;
    let mut unit = begin(&setup, Actor::System).await;
    let theirs = ProjectId::parse(&other.id).unwrap();
    let locked = unit.lock_project(&setup.app.clock, theirs).await.unwrap();
    assert!(locked.is_none());

    let locked = unit.lock_project(&setup.app.clock, project_id(&setup));
    let mut project = locked.await.unwrap().unwrap();
    let place = Place {
        flag_id: FlagId::new(setup.app.clock.now()),
        env_id: EnvId::parse(&other.dev).unwrap(),
    };
    let refused = change::kill(&mut project, place, Authority::Import, &Expected::Any).await;
    assert!(matches!(refused, Err(Refusal::Gone(Missing::Flag))));
}

#[tokio::test]
async fn an_identity_provider_removes_members_and_the_last_owner_stays() {
    let setup = Setup::new().await;
    let member = setup.app.member(&setup.owner, "developer").await;
    let id_of = async |email: &str| {
        let id = setup.owner.member_id_of(email).await;
        MemberId::parse(&id).unwrap()
    };
    let (removed_id, owner_id) = (id_of(&member.email).await, id_of(&setup.owner.email).await);
    let token_id = ScimTokenId::new(setup.app.clock.now());
    let provider = Actor::Scim {
        id: token_id,
        made_by: None,
    };

    let mut unit = begin(&setup, provider).await;
    let mut org = unit.lock_org(&setup.app.clock).await.unwrap();
    let acting = members::Acting::Provider(Some(Role::Owner));
    let removed = members::remove(&mut org, acting, removed_id).await;
    let Committed { change, .. } = unit.commit(removed.unwrap()).await.unwrap();
    assert!(change.is_none(), "edges serve nothing of it");
    member.get("/v1/projects").await.expect_status(401);
    let entries = trail::of_action(&setup.app, &setup.owner, "member.removed").await;
    assert_eq!(entries[0]["actor_type"], "scim");
    assert_eq!(entries[0]["actor_id"], json!(token_id));

    let mut unit = begin(&setup, provider).await;
    let mut org = unit.lock_org(&setup.app.clock).await.unwrap();
    let refused = members::remove(&mut org, acting, owner_id).await;
    assert!(matches!(refused, Err(Refusal::Conflict(_))));
}

#[tokio::test]
async fn an_api_key_can_be_an_actor() {
    let setup = Setup::new().await;
    let (now, key_id) = (setup.app.clock.now(), ApiKeyId::new(setup.app.clock.now()));
    let org_id = OrgId::parse(&setup.owner.org_id).unwrap();
    let event = Event::new(Action::FlagKilled, Subject::Org(org_id));
    let mut tx = setup.app.db().begin().await.unwrap();
    let recorded = events::record(&mut tx, org_id, Actor::ApiKey(key_id), event, now);
    recorded.await.unwrap();
    tx.commit().await.unwrap();
    let entries = trail::of_action(&setup.app, &setup.owner, "flag.killed").await;
    assert_eq!(entries[0]["actor_type"], "api_key");
    assert_eq!(entries[0]["actor_id"], json!(key_id));
}

/// Every request here would wait for the lock if it began its work under it.
#[tokio::test]
async fn what_needs_no_lock_is_refused_while_somebody_holds_the_projects() {
    let setup = Setup::new().await;
    let flag = json!({"key": "here", "name": "Here"});
    let (id, env) = (&setup.project.id, &setup.project.dev);
    let base = format!("/v1/projects/{id}");
    setup.owner.create(&format!("{base}/flags"), flag).await;
    let mut held = setup.app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
        .bind(id)
        .execute(&mut *held)
        .await
        .unwrap();

    let state = format!("{base}/flags/here/environments/{env}");
    let pattern = json!({"rules": [{"conditions": [
        {"attribute": "a", "operator": "regex", "values": ["("]}
    ], "value": true}]});
    let put = async |path: &str, body: Value, status: u16| {
        let answer = tokio::time::timeout(Duration::from_secs(20), setup.owner.put(path, body));
        answer.await.expect(path).expect_status(status);
    };
    let post = async |path: &str, body: Value, status: u16| {
        let answer = tokio::time::timeout(Duration::from_secs(20), setup.owner.post(path, body));
        answer.await.expect(path).expect_status(status);
    };
    put(&state, pattern, 400).await;
    put(&state, json!({"percentage_rollout": 10_001}), 400).await;
    put(
        &format!("{base}/flags/gone/environments/{env}"),
        json!({}),
        404,
    )
    .await;
    put(&format!("{base}/flags/here"), json!({"name": ""}), 400).await;
    put(
        &format!("{base}/environments/{env}"),
        json!({"slug": "No!"}),
        400,
    )
    .await;
    put(&base, json!({"slug": "No!"}), 400).await;
    post(&format!("{base}/flags"), json!({"key": "No!"}), 400).await;
    post(&format!("{base}/segments"), json!({"key": "s"}), 400).await;
    post(&format!("{base}/environments"), json!({}), 400).await;
    post(&format!("/v1/environments/{env}/api-keys"), json!({}), 400).await;
    held.rollback().await.unwrap();
}
