//! A database that is put back to an earlier state: it begins another history, and edges come to what it says.

mod copy;
mod restore;
mod table;

use harness::cluster::Cluster;
use harness::tunnel::Tunnel;
use harness::{Edge, Stack, User, eventually};
use serde_json::json;
use sqlx::{Connection, PgConnection};

use crate::scene::{FLAG, eventually_serves, state_serving, value_at};

/// A service on a database that can be put back.
struct Rewindable {
    cluster: Cluster,
    tunnel: Tunnel,
    stack: Stack,
    edge: Edge,
    owner: User,
    state: String,
    key: String,
}

impl Rewindable {
    async fn start() -> Self {
        let cluster = Cluster::start();
        let (tunnel, database) = Tunnel::to_database(cluster.url()).await;
        let programs = cluster.programs();
        let settings = [
            ("DATABASE_URL", database.as_str()),
            ("SNAPSHOT_WAIT", "3s"),
            ("PATH", programs.to_str().unwrap()),
        ];
        let mut stack = Stack::start_with(&settings).await;
        let owner = stack.signup("acme").await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag =
            json!({"key": FLAG, "name": "Greeting", "flag_type": "string", "default_value": "off"});
        owner.create(&flags, flag).await;
        let edge = stack.edge().await;
        let state = format!(
            "/v1/projects/{}/flags/{FLAG}/environments/{}",
            project.id, project.dev
        );
        Self {
            cluster,
            tunnel,
            stack,
            edge,
            owner,
            state,
            key,
        }
    }

    async fn serve(&self, value: &str) {
        self.owner.change(&self.state, state_serving(value)).await;
    }

    async fn edge_serves(&self, value: &str) {
        eventually_serves(&self.edge.with_key(&self.key), value).await;
    }

    fn take_snapshot(&mut self) {
        self.cluster.take_snapshot();
        self.tunnel.lead_to(self.cluster.url());
    }

    fn restore_snapshot(&mut self) {
        self.cluster.restore_snapshot();
        self.tunnel.lead_to(self.cluster.url());
    }

    /// Waits until a change is possible again, and makes it; the edges that are said to serve it.
    async fn serve_everywhere(&self, value: &str) -> String {
        let path = format!("{}?wait=edges", self.state);
        let answer = eventually("the database is back", async || {
            let answer = self.owner.put(&path, state_serving(value)).await;
            (answer.status == 200).then_some(answer)
        })
        .await;
        answer.header("x-edges-acknowledged").to_owned()
    }

    /// How many rewinds were found, by this proof.
    async fn rewinds(&self, proof: &str) -> bool {
        let metrics = self.stack.admin().get("/metrics").await.body;
        let line = format!("halyard_database_rewinds_total{{proof=\"{proof}\"}} 1");
        metrics.as_str().expect("text").contains(&line)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn edges_follow_a_database_that_was_put_back_while_everything_ran() {
    let mut it = Rewindable::start().await;
    it.serve("kept").await;
    it.edge_serves("kept").await;
    it.take_snapshot();
    for round in 0..3 {
        it.serve_everywhere(&format!("lost-{round}")).await;
    }
    it.edge_serves("lost-2").await;

    it.restore_snapshot();
    it.edge_serves("kept").await;
    let proven = eventually("the rewind is told", async || {
        for proof in ["log", "mark", "version", "edge"] {
            if it.rewinds(proof).await {
                return Some(proof);
            }
        }
        None
    })
    .await;
    println!("proven by: {proven}");

    // Acknowledged means this history: fewer versions than the edge held before were drawn in it.
    let acknowledged = it.serve_everywhere("new").await;
    if acknowledged.split(',').any(|name| name == it.edge.name) {
        assert_eq!(value_at(&it.edge.with_key(&it.key)).await, "new");
    }
    it.edge_serves("new").await;
    it.edge.process.kill();
    it.edge.start().await;
    it.edge_serves("new").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_an_edge_holds_proves_that_the_database_was_put_back_while_nothing_ran() {
    let mut it = Rewindable::start().await;
    it.serve("kept").await;
    it.take_snapshot();
    for round in 0..5 {
        it.serve_everywhere(&format!("lost-{round}")).await;
    }
    it.edge_serves("lost-4").await;

    // Nobody who was there before looks at the database again.
    it.edge.process.terminate();
    it.stack.control.kill();
    it.restore_snapshot();
    it.stack.start_control().await;
    it.serve_everywhere("new").await;
    it.edge.start().await;
    it.edge_serves("new").await;
    assert!(it.rewinds("edge").await);

    // Told once: an edge of the new history proves nothing.
    it.serve_everywhere("newer").await;
    it.edge_serves("newer").await;
    assert!(it.rewinds("edge").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn data_that_was_loaded_over_newer_data_is_another_history() {
    let it = Rewindable::start().await;
    it.serve("kept").await;
    it.edge_serves("kept").await;
    let mut connection = PgConnection::connect(it.cluster.url()).await.unwrap();
    // As a restore of the data alone leaves it: rows of before, numbers of transactions of another cluster.
    for statement in [
        "CREATE TABLE saved_states AS SELECT * FROM flag_states",
        "CREATE TABLE saved_versions AS SELECT id, version FROM environments",
        "CREATE TABLE saved_counters AS SELECT id, version FROM projects",
    ] {
        sqlx::query(statement)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    for round in 0..3 {
        it.serve(&format!("lost-{round}")).await;
    }
    it.edge_serves("lost-2").await;
    let mut loading = connection.begin().await.unwrap();
    for statement in [
        "DELETE FROM flag_states",
        "INSERT INTO flag_states SELECT * FROM saved_states",
        "UPDATE projects SET version = saved.version FROM saved_counters saved WHERE saved.id = projects.id",
        "UPDATE environments SET version = saved.version, changed_in = '9000000000000'
         FROM saved_versions saved WHERE saved.id = environments.id",
    ] {
        sqlx::query(statement).execute(&mut *loading).await.unwrap();
    }
    loading.commit().await.unwrap();

    it.edge_serves("kept").await;
    assert!(it.rewinds("version").await);
    it.serve_everywhere("new").await;
    it.edge_serves("new").await;
    let pool = sqlx::PgPool::connect(it.cluster.url()).await.unwrap();
    eventually("looks do not find everything for ever", async || {
        let ahead: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM environments WHERE changed_in > pg_current_xact_id()",
        )
        .fetch_one(&pool)
        .await
        .unwrap();
        (ahead == 0).then_some(())
    })
    .await;
}
