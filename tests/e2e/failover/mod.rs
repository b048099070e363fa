//! Three control planes over one database under load, while one of them or the database fails.

mod frozen;
mod killed;
mod many;
mod promoted;
mod writer;

use std::iter;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::mail_server::MailServer;
use harness::{Caller, Control, Edge, Receiver, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::scene::{Scene, eventually_serves};
use writer::{Writer, Written};

/// How late a schedule may take effect. Alone it takes 0.1 s; the rest is for a machine that is busy with other tests.
const LATE: Duration = Duration::from_secs(10);
/// When a control plane counts as frozen.
const SILENT: Duration = Duration::from_secs(1);

/// A scene with more control planes, an edge that knows all of them, and those whom jobs tell.
struct Fleet {
    scene: Scene,
    others: Vec<Control>,
    edge: Edge,
    database: String,
    mails: MailServer,
    webhook: Receiver,
}

impl Fleet {
    /// Three control planes on a database of their own.
    async fn start() -> Self {
        Self::start_with(3, &[], None).await
    }

    /// So many with these settings, among them perhaps a database, which is then named once more.
    async fn start_with(
        number: usize,
        more: &[(&'static str, &str)],
        database: Option<&str>,
    ) -> Self {
        let (mails, webhook) = (MailServer::start().await, Receiver::start());
        let smtp = mails.url();
        let settings = [("SMTP_URL", smtp.as_str()), ("SNAPSHOT_WAIT", "500ms")];
        let mut scene = Scene::start_at(&[&settings, more].concat()).await;
        let names: Vec<_> = (1..number).map(|n| format!("control-{n}")).collect();
        let others = names.iter().map(|name| scene.stack.another_control(name));
        let others = join_all(others).await;
        let quics = others.iter().map(|control| control.quic.as_str());
        let upstream: Vec<_> = iter::once(scene.stack.quic()).chain(quics).collect();
        let upstream = [("EDGE_UPSTREAM", &*upstream.join(","))];
        let edge = scene.stack.edge_with(&upstream).await;
        let database = database.unwrap_or(scene.stack.database().url()).to_owned();
        let pool = connected(&database).await;
        scene.owner.prove_address(&pool).await;
        let hook = json!({"name": "Chat", "url": webhook.url("/"), "secret": "s3cret",
                          "events": ["flag.scheduled_toggle"]});
        scene.owner.create("/v1/webhooks", hook).await;
        Self {
            scene,
            others,
            edge,
            database,
            mails,
            webhook,
        }
    }

    fn urls(&self) -> Vec<String> {
        let others = self.others.iter().map(|control| control.url.clone());
        iter::once(self.scene.stack.url.clone())
            .chain(others)
            .collect()
    }

    fn admins(&self) -> Vec<Caller> {
        let others = self.others.iter().map(Control::admin);
        iter::once(self.scene.stack.admin()).chain(others).collect()
    }

    fn write(&self) -> Writer {
        Writer::start(&self.scene.owner, &self.scene.project, &self.urls())
    }

    /// Schedules a change in a moment at the control plane `url`; when.
    async fn schedule(&self, url: &str, field: &str) -> OffsetDateTime {
        let due = OffsetDateTime::now_utc() + Duration::from_millis(1_500);
        let schedule = json!({field: due.format(&Rfc3339).unwrap()});
        let owner = self.scene.owner.at(url);
        owner.change(&self.scene.state_path(), schedule).await;
        due
    }

    /// Waits until the schedule has taken effect at the edge, and asserts that it did in time.
    async fn takes_effect(&self, url: &str, due: OffsetDateTime, value: &str) {
        eventually_serves(&self.sdk(), value).await;
        let state = self.scene.owner.at(url).get(&self.scene.state_path()).await;
        let changed = OffsetDateTime::parse(&state.text("/updated_at"), &Rfc3339).unwrap();
        let late = changed - due;
        println!("the schedule was late by {late}");
        assert!(!late.is_negative() && late < LATE, "late by {late}");
    }

    /// Asserts that so many schedules took effect, and that each was told once.
    async fn told_once(&self, schedules: usize) {
        self.webhook.until(schedules).await;
        let waiting =
            "SELECT (SELECT COUNT(*) FROM webhook_events) + (SELECT COUNT(*) FROM webhook_queue)";
        eventually("no webhook waits", async || {
            (self.count(waiting).await == 0).then_some(())
        })
        .await;
        assert_eq!(self.webhook.received().len(), schedules);
        let fired = "SELECT COUNT(*) FROM audit_entries WHERE action = 'flag.scheduled_toggle'";
        assert_eq!(self.count(fired).await, i64::try_from(schedules).unwrap());
    }

    async fn count(&self, query: &'static str) -> i64 {
        let pool = connected(&self.database).await;
        sqlx::query_scalar(query).fetch_one(&pool).await.unwrap()
    }

    /// Asserts that all is there that was acknowledged.
    async fn keeps(&self, written: &Written) {
        let there = written_in(&self.database).await;
        let lost: Vec<_> = written
            .acknowledged
            .iter()
            .filter(|&key| !there.contains(key))
            .collect();
        println!(
            "{} writes acknowledged, {} failed twice, the longest gap {:?}",
            written.acknowledged.len(),
            written.failed.len(),
            written.longest_gap
        );
        assert!(lost.is_empty(), "{lost:?}");
    }

    /// Writes through this control plane, and waits until the edge serves it.
    async fn serves_anew(&self, url: &str, value: &str) {
        let owner = self.scene.owner.at(url);
        let state = crate::scene::state_serving(value);
        owner.change(&self.scene.state_path(), state).await;
        eventually_serves(&self.sdk(), value).await;
    }

    fn sdk(&self) -> Caller {
        self.edge.with_key(&self.scene.key)
    }
}

/// The keys of all flags in a database.
async fn written_in(database: &str) -> Vec<String> {
    let keys = sqlx::query_scalar("SELECT key FROM flags");
    keys.fetch_all(&connected(database).await).await.unwrap()
}

/// Anew, since connections of before may lead to a primary of before.
async fn connected(database: &str) -> PgPool {
    PgPool::connect(database).await.unwrap()
}

/// Which of the control planes leads, once exactly one does and runs all jobs of a leader.
async fn leader(admins: &[Caller]) -> usize {
    eventually("one control plane leads", async || {
        let mut leading = Vec::new();
        for (index, admin) in admins.iter().enumerate() {
            let jobs = asked(admin, "/jobs").await.unwrap_or_default();
            let all = jobs.as_array().cloned().unwrap_or_default();
            let of_leaders: Vec<_> = all
                .iter()
                .filter(|job| job["runs_on"] == "leader")
                .collect();
            let active = of_leaders
                .iter()
                .filter(|job| job["active"] == true)
                .count();
            match active {
                0 => {}
                some if some == of_leaders.len() => leading.push(index),
                _ => return None,
            }
        }
        (leading.len() == 1).then(|| leading[0])
    })
    .await
}

/// An answer of a control plane that may be gone or frozen.
async fn asked(admin: &Caller, path: &str) -> Option<Value> {
    let request = admin.request(Method::GET, path).timeout(SILENT);
    Some(admin.try_send(request).await.ok()?.body)
}

/// How long it took since then.
fn tell(what: &str, since: Instant) -> Duration {
    let taken = since.elapsed();
    println!("{what}: {taken:?}");
    taken
}
