//! The primary fails, and its standby is promoted.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::cluster::Cluster;
use harness::eventually;
use harness::tunnel::Tunnel;

use super::{Fleet, asked, connected, leader, tell, writer::Writer, written_in};
use crate::scene::eventually_serves;

/// A fleet on a primary with a standby, reached through an address that can move.
struct Pair {
    primary: Cluster,
    standby: Cluster,
    address: Tunnel,
    fleet: Fleet,
}

impl Pair {
    async fn start() -> Self {
        let primary = Cluster::start();
        let standby = primary.standby();
        let (address, through) = Tunnel::to_database(primary.url()).await;
        let settings = [("DATABASE_URL", through.as_str())];
        let fleet = Fleet::start_with(3, &settings, Some(&through)).await;
        Self {
            primary,
            standby,
            address,
            fleet,
        }
    }

    /// The address leads to the standby for a moment, which takes no writes: nothing is read there, and no connection to it is kept.
    async fn is_not_kept_at_the_standby(&self) {
        self.address.lead_to(self.standby.url());
        let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'halyard'";
        execute(&self.primary, &[ended]).await;
        for url in self.fleet.urls() {
            let owner = self.fleet.scene.owner.at(&url);
            assert_eq!(owner.get("/v1/projects").await.status, 503);
        }
        self.address.lead_to(self.primary.url());
        self.write_again(Instant::now()).await;
        let writer = self.fleet.write();
        writer.goes_on(30).await;
        assert!(writer.stop().await.failed.is_empty());
    }

    /// Waits until each control plane writes after the promotion. Alone that takes less than 3 s; the rest is for a machine whose
    /// cores are shared with many other tests.
    async fn write_again(&self, promoted: Instant) {
        let scene = &self.fleet.scene;
        let writing = self.fleet.urls().into_iter().map(async |url| {
            let writer = Writer::start(&scene.owner, &scene.project, &[url]);
            writer.goes_on(1).await;
            assert!(tell("a control plane wrote", promoted) < Duration::from_secs(15));
        });
        join_all(writing).await;
    }

    /// Waits until one has counted the promotion, there is a leader, and edges follow each control plane.
    async fn is_whole(&self) {
        let line = "halyard_database_rewinds_total{proof=\"identity\"} 1";
        let fleet = &self.fleet;
        eventually("the promotion is noticed", async || {
            let mut counted = 0;
            for admin in fleet.admins() {
                let metrics = asked(&admin, "/metrics").await?;
                counted += usize::from(metrics.as_str()?.contains(line));
            }
            (counted == 1).then_some(())
        })
        .await;
        leader(&fleet.admins()).await;
        for (number, url) in fleet.urls().iter().enumerate() {
            fleet.serves_anew(url, &format!("new-{number}")).await;
        }
    }
}

async fn execute(cluster: &Cluster, statements: &[&'static str]) {
    let pool = connected(cluster.url()).await;
    for &statement in statements {
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_standby_that_is_promoted_has_all_that_was_acknowledged() {
    let pair = Pair::start().await;
    let fleet = &pair.fleet;
    let synchronous = "ALTER SYSTEM SET synchronous_standby_names = '*'";
    execute(&pair.primary, &[synchronous, "SELECT pg_reload_conf()"]).await;
    pair.is_not_kept_at_the_standby().await;
    let writer = fleet.write();
    writer.goes_on(20).await;
    fleet
        .schedule(&fleet.urls()[0], "scheduled_disable_at")
        .await;

    pair.primary.kill();
    let killed = Instant::now();
    pair.address.lead_to(pair.standby.url());
    pair.standby.promote().await;
    tell("promoted", killed);
    pair.write_again(Instant::now()).await;
    eventually_serves(&fleet.sdk(), "off").await;
    fleet.told_once(1).await;
    pair.is_whole().await;
    fleet.keeps(&writer.stop().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_to_a_primary_that_was_left_behind() {
    let pair = Pair::start().await;
    let fleet = &pair.fleet;
    let urls = fleet.urls();
    fleet.serves_anew(&urls[0], "kept").await;
    let received = "SELECT COUNT(*) FROM flag_states WHERE default_value::text LIKE '%kept%'";
    eventually("the standby has it", async || {
        let standby = connected(pair.standby.url()).await;
        let there: i64 = sqlx::query_scalar(received)
            .fetch_one(&standby)
            .await
            .ok()?;
        (there > 0).then_some(())
    })
    .await;
    // From here on the standby lacks what is written.
    let cut = "ALTER SYSTEM SET primary_conninfo = ''";
    execute(&pair.standby, &[cut, "SELECT pg_reload_conf()"]).await;
    fleet.serves_anew(&urls[0], "lost").await;

    // The machine of the primary hangs: its connections stay open, and nothing answers.
    let lost = fleet.write();
    lost.goes_on(10).await;
    pair.address.leave_for(pair.standby.url());
    let _lost = lost.stop().await;
    let left = Instant::now();
    let writer = fleet.write();
    pair.standby.promote().await;
    tell("promoted", left);
    pair.write_again(Instant::now()).await;
    eventually_serves(&fleet.sdk(), "kept").await;
    pair.is_whole().await;

    fleet.keeps(&writer.stop().await).await;

    // It goes on, and whatever is still connected to it could write there.
    let writer = fleet.write();
    pair.address.take_up();
    writer.goes_on(40).await;
    let written = writer.stop().await;
    fleet.keeps(&written).await;
    let astray = written_in(pair.primary.url()).await;
    assert!(!written.acknowledged.iter().any(|key| astray.contains(key)));
}
