//! Schedules of three control planes on one database: one of them leads, and dies.

use std::time::Duration;

use harness::{Caller, Control, Edge, eventually};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::scene::{Scene, eventually_serves};

/// How late a schedule may take effect.
const BOUND: Duration = Duration::from_secs(1);

/// A scene with two control planes more, and an edge that knows all three.
struct Fleet {
    scene: Scene,
    others: [Control; 2],
    edge: Edge,
}

impl Fleet {
    async fn start() -> Self {
        let mut scene = Scene::start().await;
        let others = [
            scene.stack.another_control("second").await,
            scene.stack.another_control("third").await,
        ];
        let upstream = format!(
            "{},{},{}",
            scene.stack.quic(),
            others[0].quic,
            others[1].quic
        );
        let edge = scene.stack.edge_with(&[("EDGE_UPSTREAM", &upstream)]).await;
        Self {
            scene,
            others,
            edge,
        }
    }

    /// The address of each control plane, and its metrics.
    fn controls(&self) -> [(String, Caller); 3] {
        [
            (self.scene.stack.url.clone(), self.scene.stack.admin()),
            (self.others[0].url.clone(), self.others[0].admin()),
            (self.others[1].url.clone(), self.others[1].admin()),
        ]
    }

    /// Kills the control plane that leads, and tells the address of another.
    async fn kill_leader(&mut self) -> String {
        let leading = leader(&self.controls()).await;
        match leading {
            0 => self.scene.stack.control.kill(),
            other => self.others[other - 1].process.kill(),
        }
        self.controls()[(leading + 1) % 3].0.clone()
    }

    /// Schedules a change in a moment at the control plane `url`; tells when.
    async fn schedule(&self, url: &str, field: &str) -> OffsetDateTime {
        let due = OffsetDateTime::now_utc() + Duration::from_millis(1_500);
        let owner = self.scene.owner.at(url);
        let schedule = json!({field: due.format(&Rfc3339).unwrap()});
        let path = self.scene.state_path();
        owner.change(&path, schedule).await;
        due
    }

    /// Asserts that the state was last changed in time after `due`.
    async fn assert_in_time(&self, url: &str, due: OffsetDateTime) {
        let state = self.scene.owner.at(url).get(&self.scene.state_path()).await;
        let changed = OffsetDateTime::parse(&state.text("/updated_at"), &Rfc3339).unwrap();
        let late = changed - due;
        assert!(!late.is_negative() && late < BOUND, "late by {late}");
    }

    /// How many schedules have taken effect, by the audit trail.
    async fn firings(&self) -> i64 {
        let url = self.scene.stack.database().url();
        let mut connection = PgConnection::connect(url).await.unwrap();
        let action = "flag.scheduled_toggle";
        sqlx::query_scalar("SELECT COUNT(*) FROM audit_entries WHERE action = $1")
            .bind(action)
            .fetch_one(&mut connection)
            .await
            .unwrap()
    }
}

/// Which of the control planes leads, once one does.
async fn leader(controls: &[(String, Caller)]) -> usize {
    eventually("a control plane leads", async || {
        for (index, (_, admin)) in controls.iter().enumerate() {
            if leads(admin).await {
                return Some(index);
            }
        }
        None
    })
    .await
}

async fn leads(admin: &Caller) -> bool {
    let request = admin
        .request(reqwest::Method::GET, "/metrics")
        .timeout(BOUND);
    let answer = admin.try_send(request).await;
    let is_told = |line: &str| line == "halyard_leads 1";
    answer.is_ok_and(|answer| {
        answer
            .body
            .as_str()
            .is_some_and(|text| text.lines().any(is_told))
    })
}

#[tokio::test]
async fn a_schedule_takes_effect_once_and_in_time_also_when_the_leader_dies() {
    let mut fleet = Fleet::start().await;
    let sdk = fleet.edge.with_key(&fleet.scene.key);

    let anybody = fleet.others[0].url.clone();
    let due = fleet.schedule(&anybody, "scheduled_disable_at").await;
    eventually_serves(&sdk, "off").await;
    fleet.assert_in_time(&anybody, due).await;

    let survivor = fleet.kill_leader().await;
    let due = fleet.schedule(&survivor, "scheduled_enable_at").await;
    eventually_serves(&sdk, "v0").await;
    fleet.assert_in_time(&survivor, due).await;
    assert_eq!(fleet.firings().await, 2);
}

#[tokio::test]
async fn a_leader_that_is_frozen_is_replaced_and_knows_it_when_it_goes_on() {
    let fleet = Fleet::start().await;
    let controls = fleet.controls();
    // It was there first.
    assert_eq!(leader(&controls).await, 0);
    fleet.scene.stack.control.suspend();
    let next = 1 + leader(&controls[1..]).await;
    let due = fleet
        .schedule(&controls[next].0, "scheduled_disable_at")
        .await;
    let sdk = fleet.edge.with_key(&fleet.scene.key);
    eventually_serves(&sdk, "off").await;
    fleet.assert_in_time(&controls[next].0, due).await;

    fleet.scene.stack.control.resume();
    eventually("the first one leads no more", async || {
        (!leads(&controls[0].1).await).then_some(())
    })
    .await;
    assert_eq!(fleet.firings().await, 1);
}
