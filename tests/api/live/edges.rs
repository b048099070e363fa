//! Edges that come and go.

use std::collections::BTreeSet;

use harness::sse::Stream;
use serde_json::Value;

use super::{Setup, fields, follow};
use crate::publish::replica::Replica;

/// The edges that the next event names.
async fn changed(stream: &mut Stream) -> BTreeSet<String> {
    let event = stream.next_named("edges").await;
    assert_eq!(event.id, None, "nobody comes back to it");
    assert_eq!(fields(&event.data), ["changed"]);
    serde_json::from_value(event.data["changed"].clone()).unwrap()
}

impl Setup {
    /// The edges that are connected.
    async fn connected(&self) -> BTreeSet<String> {
        let edges = self.owner.get("/v1/edges").await;
        let edges = edges.body["data"].as_array().unwrap().iter();
        let connected = edges.filter(|edge| edge["connected"] == true);
        let name = |edge: &Value| edge["name"].as_str().unwrap().to_owned();
        connected.map(name).collect()
    }

    async fn enroll(&self, name: &str, region: Option<&str>) {
        sqlx::query(
            "INSERT INTO edge_certificates (fingerprint, name, region, issued_at, expires_at)
             VALUES (decode(repeat(md5($1), 2), 'hex'), $1, $2, $3, $3 + interval '1 day')",
        )
        .bind(name)
        .bind(region)
        .bind(self.app.clock.now())
        .execute(self.app.pool())
        .await
        .unwrap();
    }
}

#[tokio::test]
async fn an_edge_of_another_replica_that_comes_and_goes_is_told() {
    let setup = Setup::new().await;
    let (mut stream, _) = follow(&setup.owner).await;
    let before = setup.connected().await;
    let other = setup.app.another_publisher();
    let edge = Replica::follow(&other);
    let came = changed(&mut stream).await;
    assert_eq!(came.len(), 1);
    let mut now = before.clone();
    now.extend(came.iter().cloned());
    assert_eq!(setup.connected().await, now);

    drop(edge);
    assert_eq!(changed(&mut stream).await, came);
    assert_eq!(setup.connected().await, before);
}

#[tokio::test]
async fn an_organization_hears_of_the_edges_of_its_region_that_join_and_are_revoked() {
    let setup = Setup::new().await;
    let (mut stream, _) = follow(&setup.owner).await;
    setup.enroll("eu-1", Some("eu")).await;
    setup.enroll("us-1", Some("us")).await;
    assert_eq!(changed(&mut stream).await, ["us-1".to_owned()].into());
    setup.enroll("any", None).await;
    assert_eq!(changed(&mut stream).await, ["any".to_owned()].into());
    setup
        .app
        .execute(
            "UPDATE edge_certificates SET revoked_at = now() WHERE name IN ('eu-1', 'us-1')",
            &[],
        )
        .await;
    assert_eq!(changed(&mut stream).await, ["us-1".to_owned()].into());
}
