//! Due times: each takes effect once, in time order, and is gone then.

use std::sync::Arc;
use std::time::Duration;

use base::{db::Db, waker::Waker};
use domain::flags::schedule::Schedules;
use harness::{Response, eventually};
use serde_json::{Value, json};
use sqlx::Row;
use time::UtcOffset;
use time::format_description::well_known::Rfc3339;

use super::{Setup, plain};
use crate::trail;

const MINUTE: Duration = Duration::from_secs(60);
const ENABLE: &str = "scheduled_enable_at";
const DISABLE: &str = "scheduled_disable_at";

impl Setup {
    /// Minutes from now, as the API writes a time.
    fn at(&self, minutes: i64) -> String {
        let time = self.app.clock.now() + time::Duration::minutes(minutes);
        time.format(&Rfc3339).unwrap()
    }

    /// Waits until the state in `dev` has no due time left.
    async fn settled(&self) -> Response {
        self.settled_at(&self.dev()).await
    }

    async fn settled_at(&self, path: &str) -> Response {
        eventually("no due time is left", async || {
            let state = self.owner.get(path).await;
            let is_settled = state.body[ENABLE].is_null() && state.body[DISABLE].is_null();
            is_settled.then_some(state)
        })
        .await
    }

    /// Every firing of the organization in order: of which flag, and whether it was enabled.
    async fn firings(&self) -> Vec<(String, bool)> {
        let rows = sqlx::query(
            "SELECT resource_id, (after_state->>'enabled')::boolean AS enabled
             FROM audit_entries
             WHERE action = 'flag.scheduled_toggle' AND org_id = $1::uuid
             ORDER BY created_at, id",
        )
        .bind(&self.owner.org_id)
        .fetch_all(self.app.pool())
        .await
        .unwrap();
        rows.iter()
            .map(|row| (row.get("resource_id"), row.get("enabled")))
            .collect()
    }

    /// One more flag, scheduled in `dev`: its id, and the path of its state.
    async fn scheduled(&self, key: &str, schedule: Value) -> (String, String) {
        let flags = format!("/v1/projects/{}/flags", self.project.id);
        let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
        let created = self.owner.create(&flags, flag).await;
        let path = format!("{flags}/{key}/environments/{}", self.project.dev);
        self.owner.change(&path, schedule).await;
        (created.text("/id"), path)
    }
}

#[tokio::test]
async fn a_due_time_toggles_the_flag_is_cleared_and_leaves_one_entry() {
    let setup = Setup::with("boolean").await;
    let before = setup.put(json!({ENABLE: setup.at(10)})).await;
    let mut expected = plain(false);
    expected[ENABLE] = setup.at(10).into();
    before.expect(200, expected);
    let length = trail::length(&setup.app, &setup.owner).await;

    setup.app.clock.advance(MINUTE * 10);
    let after = setup.settled().await;
    after.expect(200, plain(true));
    assert_eq!(after.text("/id"), before.text("/id"));

    let mut entry = setup.entry("flag.scheduled_toggle", &before.body, &after.body);
    entry["actor_type"] = "system".into();
    entry["actor_id"] = Value::Null;
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
    assert_eq!(
        trail::length(&setup.app, &setup.owner).await,
        length + 1,
        "one firing, one entry"
    );
}

#[tokio::test]
async fn nothing_happens_before_the_due_time() {
    let setup = Setup::with("boolean").await;
    let (early, _) = setup.scheduled("early", json!({ENABLE: setup.at(9)})).await;
    setup.put(json!({ENABLE: setup.at(10)})).await;

    setup
        .app
        .clock
        .advance(MINUTE * 10 - Duration::from_micros(1));
    eventually("the other flag is enabled", async || {
        (setup.firings().await == [(early.clone(), true)]).then_some(())
    })
    .await;
    let state = setup.owner.get(&setup.dev()).await;
    assert_eq!(state.body["enabled"], false);
    assert!(state.body[ENABLE].is_string());
}

#[tokio::test]
async fn an_edge_serves_what_was_scheduled() {
    let setup = Setup::with("boolean").await;
    setup
        .put(json!({"default_value": true, ENABLE: setup.at(10)}))
        .await;
    let key = setup.owner.api_key(&setup.project.dev).await;
    let sdk = setup.app.anonymous().with_key(&key);
    let mut stream = sdk.stream("/v1/stream/dev").await;
    assert_eq!(stream.next().await.unwrap().name, "connected");

    setup.app.clock.advance(MINUTE * 10);
    let event = stream.next_named("flag-update").await;
    assert_eq!(
        event.data,
        json!({"type": "flag_update", "flag_id": setup.flag_id, "env_id": setup.project.dev, "action": "upsert"})
    );
    let question = json!({"flag_key": "f", "context": {"key": "user-1"}});
    let answer = sdk.post("/v1/evaluate", question).await;
    assert_eq!(answer.body["value"], true);
}

#[tokio::test]
async fn what_was_missed_takes_effect_in_time_order() {
    let setup = Setup::with("boolean").await;
    setup
        .put(json!({ENABLE: setup.at(10), DISABLE: setup.at(15)}))
        .await;
    let (off_first, off_first_path) = setup
        .scheduled("g", json!({ENABLE: setup.at(12), DISABLE: setup.at(11)}))
        .await;

    setup.app.clock.advance(MINUTE * 50);
    setup.settled().await.expect(200, plain(false));
    let state = setup.settled_at(&off_first_path).await;
    state.expect(200, plain(true));
    assert_eq!(
        setup.firings().await,
        [
            (setup.flag_id.clone(), true),
            (off_first.clone(), false),
            (off_first, true),
            (setup.flag_id.clone(), false),
        ]
    );
}

#[tokio::test]
async fn many_due_times_fire_in_their_order() {
    let setup = Setup::with("boolean").await;
    let mut expected = Vec::new();
    // More than are read at once, and written in another order.
    for minute in (1..=45).rev() {
        let schedule = json!({ENABLE: setup.at(minute)});
        let (id, _) = setup.scheduled(&format!("flag-{minute}"), schedule).await;
        expected.push((id, true));
    }
    expected.reverse();
    setup.app.clock.advance(MINUTE * 50);
    let firings = eventually("all have fired", async || {
        let firings = setup.firings().await;
        (firings.len() >= expected.len()).then_some(firings)
    })
    .await;
    assert_eq!(firings, expected);
}

#[tokio::test]
async fn a_due_time_in_the_past_takes_effect_at_once() {
    let setup = Setup::with("boolean").await;
    let past = setup.at(-10);
    let mut expected = plain(false);
    expected[ENABLE] = past.clone().into();
    setup.put(json!({ENABLE: past})).await.expect(200, expected);
    setup.settled().await.expect(200, plain(true));
}

#[tokio::test]
async fn a_due_time_that_was_cleared_or_moved_does_not_take_effect() {
    let setup = Setup::with("boolean").await;
    for cleared in [json!({ENABLE: ""}), json!({ENABLE: null})] {
        setup.put(json!({ENABLE: setup.at(10)})).await;
        setup.put(cleared).await.expect(200, plain(false));
    }
    setup.put(json!({DISABLE: setup.at(10)})).await;
    let moved = setup
        .put(json!({"enabled": true, DISABLE: setup.at(100)}))
        .await;
    let (other, _) = setup.scheduled("g", json!({ENABLE: setup.at(11)})).await;

    setup.app.clock.advance(MINUTE * 20);
    eventually("the other flag is enabled", async || {
        (setup.firings().await == [(other.clone(), true)]).then_some(())
    })
    .await;
    let state = setup.owner.get(&setup.dev()).await;
    assert_eq!(state.body, moved.body);
}

#[tokio::test]
async fn what_is_deleted_meanwhile_fires_nothing() {
    let setup = Setup::with("boolean").await;
    setup.put(json!({ENABLE: setup.at(10)})).await;
    setup
        .owner
        .change(
            &setup.state(&setup.project.staging),
            json!({ENABLE: setup.at(10)}),
        )
        .await;
    let (survivor, _) = setup.scheduled("g", json!({ENABLE: setup.at(11)})).await;
    let staging = format!(
        "/v1/projects/{}/environments/{}",
        setup.project.id, setup.project.staging
    );
    setup.owner.remove(&staging).await;
    setup.owner.remove(&setup.flag).await;

    setup.app.clock.advance(MINUTE * 20);
    eventually("what is left has fired", async || {
        (setup.firings().await == [(survivor.clone(), true)]).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_kill_leaves_the_schedule_as_it_is() {
    let setup = Setup::with("boolean").await;
    setup
        .put(json!({"enabled": true, ENABLE: setup.at(10)}))
        .await;
    let kill = format!("{}/kill", setup.flag);
    let killed = setup
        .owner
        .act(&kill, json!({"env_id": setup.project.dev}))
        .await;
    assert_eq!(killed.body["enabled"], false);
    assert_eq!(killed.body[ENABLE], setup.at(10));

    setup.app.clock.advance(MINUTE * 10);
    setup.settled().await.expect(200, plain(true));
}

#[tokio::test]
async fn a_firing_that_fails_holds_up_nothing_else_and_is_tried_again() {
    let setup = Setup::with("boolean").await;
    let broken = setup.put(json!({ENABLE: setup.at(10)})).await.text("/id");
    let (other, _) = setup.scheduled("g", json!({ENABLE: setup.at(11)})).await;
    let refuse = format!(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
         CREATE TRIGGER refuse BEFORE UPDATE ON flag_states
             FOR EACH ROW WHEN (OLD.id = '{broken}') EXECUTE FUNCTION refuse()"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(refuse))
        .execute(setup.app.pool())
        .await
        .unwrap();

    setup.app.clock.advance(MINUTE * 20);
    eventually("the other flag is enabled", async || {
        (setup.firings().await == [(other.clone(), true)]).then_some(())
    })
    .await;

    sqlx::raw_sql("DROP TRIGGER refuse ON flag_states")
        .execute(setup.app.pool())
        .await
        .unwrap();
    // Its pause begins once the failure is noticed, which may be after any single step of the clock.
    let both = [(other, true), (setup.flag_id.clone(), true)];
    eventually("the flag that failed is enabled too", async || {
        setup.app.clock.advance(Duration::from_secs(2));
        (setup.firings().await == both).then_some(())
    })
    .await;
    setup.settled().await.expect(200, plain(true));
}

#[tokio::test]
async fn replicas_that_all_lead_fire_each_due_time_once_and_in_order() {
    let setup = Setup::with("boolean").await;
    let mut expected = Vec::new();
    for minute in 1..=10 {
        let schedule = json!({ENABLE: setup.at(minute), DISABLE: setup.at(30 + minute)});
        let (id, _) = setup.scheduled(&format!("flag-{minute}"), schedule).await;
        expected.extend([(id.clone(), true), (id, false)]);
    }
    setup.app.clock.advance(MINUTE * 50);
    let replica = || {
        let db = Db::new(setup.app.pool().clone(), Waker::new());
        Arc::new(Schedules::new(db, setup.app.clock.clone()))
    };
    let fired = tokio::join!(
        replica().fire_due(),
        replica().fire_due(),
        replica().fire_due()
    );
    fired.0.and(fired.1).and(fired.2).unwrap();

    let mut firings = setup.firings().await;
    // Between flags the order is the leader's; of each flag it holds anyway.
    firings.sort_by(|one, other| one.0.cmp(&other.0));
    expected.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(firings, expected);
}

#[tokio::test]
async fn nothing_fires_at_a_replica_whose_clock_is_not_the_databases() {
    let setup = Setup::with("boolean").await;
    setup.app.clock.set_machine_off(time::Duration::hours(1));
    let schedule = json!({ENABLE: setup.at(1)});
    let (id, _) = setup.scheduled("a", schedule).await;
    setup.app.clock.advance(MINUTE * 2);
    let db = Db::new(setup.app.pool().clone(), Waker::new());
    let replica = Arc::new(Schedules::new(db, setup.app.clock.clone()));
    Arc::clone(&replica).fire_due().await.unwrap();
    assert!(setup.firings().await.is_empty());

    setup.app.clock.set_machine_off(time::Duration::ZERO);
    replica.fire_due().await.unwrap();
    assert_eq!(setup.firings().await, [(id, true)]);
}

#[tokio::test]
async fn a_due_time_written_at_another_replica_in_another_offset_takes_effect() {
    let setup = Setup::with("boolean").await;
    let replica = setup.owner.at(&setup.app.another_replica().await);
    let due = setup.app.clock.now() + MINUTE;
    let due = due.to_offset(UtcOffset::from_hms(5, 30, 0).unwrap());
    let schedule = json!({ENABLE: due.format(&Rfc3339).unwrap()});
    replica.change(&setup.dev(), schedule).await;
    setup.app.clock.advance(MINUTE);
    setup.settled().await.expect(200, plain(true));
}
