//! However contents are learned, they come to the same: by changes or as a whole, from one replica or another, before
//! or after the database was replaced.

use std::collections::HashMap;

use harness::user::DefaultProject;
use harness::{App, User, eventually};
use protocol::ids::EnvId;
use protocol::snapshot::{Digest, Version};
use serde_json::{Value, json};

use super::replica::Replica;

type Digests = HashMap<EnvId, (Version, Digest)>;

/// Numbers without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let index = self.throw(u64::try_from(from.len()).unwrap());
        &from[usize::try_from(index).unwrap()]
    }
}

/// Does something to the project. Much of it is refused, as a key that is there already: then nothing changes.
async fn change(
    owner: &User,
    project: &DefaultProject,
    api_keys: &mut Vec<String>,
    dice: &mut Dice,
) {
    let base = format!("/v1/projects/{}", project.id);
    let key = *dice.pick(&["a", "b", "c", "d"]);
    let env = dice
        .pick(&[&project.dev, &project.staging, &project.production])
        .as_str();
    let conditions = json!([{"attribute": "plan", "operator": "eq", "values": [key]}]);
    let rule =
        json!({"conditions": conditions, "segment_keys": [key], "percentage": dice.throw(10_001)});
    match dice.throw(14) {
        0..3 => {
            let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
            owner.post(&format!("{base}/flags"), flag).await;
        }
        3 => {
            // Only a flag that is off everywhere, or archived, can be deleted.
            let state = format!("{base}/flags/{key}/environments/{env}");
            owner.put(&state, json!({"enabled": false})).await;
            owner.delete(&format!("{base}/flags/{key}")).await;
        }
        12..14 => {
            let action = *dice.pick(&["archive", "restore"]);
            let path = format!("{base}/flags/{key}/{action}");
            owner.post(&path, Value::Null).await;
        }
        4 => {
            let update = json!({"mutual_exclusion_group": format!("g{}", dice.throw(2))});
            owner.put(&format!("{base}/flags/{key}"), update).await;
        }
        5..8 => {
            let state = json!({"enabled": dice.throw(2) == 1, "rules": [rule]});
            owner
                .put(&format!("{base}/flags/{key}/environments/{env}"), state)
                .await;
        }
        8 => {
            let segment = json!({"key": key, "name": key, "rules": conditions});
            owner.post(&format!("{base}/segments"), segment).await;
        }
        9 => drop(owner.delete(&format!("{base}/segments/{key}")).await),
        10 => {
            let made = owner
                .post(
                    &format!("/v1/environments/{env}/api-keys"),
                    json!({"name": key}),
                )
                .await;
            api_keys.push(made.text("/id"));
        }
        _ => {
            if let Some(id) = api_keys.pop() {
                owner.remove(&format!("/v1/api-keys/{id}")).await;
            }
        }
    }
}

/// What somebody holds who reads everything now.
async fn read_at_once(app: &App) -> Digests {
    let edge = Replica::follow(&app.another_publisher());
    eventually("everything was read", async || {
        Some(edge.digests()).filter(|held| held.len() == 3)
    })
    .await
}

#[tokio::test]
async fn changes_add_up_to_what_is_read_at_once() {
    let (app, owner, project) = App::with_project().await;
    let edge = Replica::follow(&app.publisher);
    eventually("the edge holds all", async || {
        (edge.digests().len() == 3).then_some(())
    })
    .await;

    let mut dice = Dice(0x5eed);
    let mut api_keys = Vec::new();
    for round in 1..=120 {
        change(&owner, &project, &mut api_keys, &mut dice).await;
        if round % 20 == 0 {
            assert_eq!(
                edge.digests(),
                read_at_once(&app).await,
                "after {round} changes"
            );
        }
    }
    assert_eq!((edge.snapshots(), edge.refused()), (3, 0));
    assert!(edge.deltas().len() > 100, "{} deltas", edge.deltas().len());
}

#[tokio::test]
async fn publishers_on_one_database_hear_of_each_others_changes() {
    let (app, owner, project) = App::with_project().await;
    let here = Replica::follow(&app.publisher);
    let there = Replica::follow(&app.another_publisher());
    let mut dice = Dice(0xcafe);
    let mut api_keys = Vec::new();
    for _ in 0..30 {
        change(&owner, &project, &mut api_keys, &mut dice).await;
    }
    eventually("both hold the same", async || {
        let held = here.digests();
        (held.len() == 3 && held == there.digests()).then_some(())
    })
    .await;
    assert_eq!(there.refused(), 0);
}

#[tokio::test]
async fn a_restored_database_is_told_anew_even_with_lower_versions() {
    let (app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    for key in ["a", "b", "c"] {
        owner
            .create(
                &flags,
                json!({"key": key, "name": key, "flag_type": "boolean"}),
            )
            .await;
    }
    let edge = Replica::follow(&app.publisher);
    eventually("the edge holds all", async || {
        (edge.digests().len() == 3).then_some(())
    })
    .await;
    let before = edge.environment(&project.dev).unwrap();

    // As a backup does that is loaded over what was there: the tables are others, and an old state is in them.
    restore(&app, "c").await;
    let after = eventually("the edge holds the restored state", async || {
        edge.environment(&project.dev)
            .filter(|dev| dev.flags.len() == 2)
    })
    .await;
    assert!(after.head.version < before.head.version);
    // Each environment is told on its own, and all of them again once the other tables are noticed.
    let restored = read_at_once(&app).await;
    eventually("the edge holds what is read at once", async || {
        (edge.digests() == restored).then_some(())
    })
    .await;
}

/// Makes the tables of versions anew, without one flag, in an older state.
async fn restore(app: &App, without: &str) {
    let mut tx = app.pool().begin().await.unwrap();
    let statements = [
        "ALTER TABLE projects RENAME TO replaced",
        "CREATE TABLE projects (LIKE replaced INCLUDING ALL)",
        "INSERT INTO projects SELECT * FROM replaced",
        "UPDATE projects SET version = 2",
        "UPDATE environments SET version = 2",
        "UPDATE flags SET changed_version = 1",
    ];
    for statement in statements {
        sqlx::query(statement).execute(&mut *tx).await.unwrap();
    }
    sqlx::query("DELETE FROM flags WHERE key = $1")
        .bind(without)
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    app.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
        &[],
    )
    .await;
}

#[tokio::test]
async fn a_look_at_a_change_does_not_grow_with_the_number_of_environments() {
    let (app, _owner, project) = App::with_project().await;
    app.execute(
        "INSERT INTO environments (id, org_id, project_id, name, slug, color, version, changed_in, created_at, updated_at)
         SELECT gen_random_uuid(), org_id, project_id, name, 'e' || n, color, 1, changed_in, now(), now()
         FROM environments, generate_series(1, 5000) n
         WHERE id = $1::uuid",
        &[&project.dev],
    )
    .await;
    app.execute("ANALYZE environments", &[]).await;

    let plan: Value = app
        .value(
            "EXPLAIN (FORMAT JSON)
         SELECT e.id FROM environments e WHERE e.changed_in >= pg_current_xact_id()",
            &[],
        )
        .await;
    assert!(
        plan.to_string().contains("environments_changed_in_idx"),
        "{plan:#}"
    );
}
