//! Edges that connected, disconnected, or are connected differently: changes of `/v1/edges`.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use serde::Serialize;
use time::OffsetDateTime;
use tokio::{sync::watch, time::timeout};

use super::{Live, audience::Topic, events::News};
use crate::edges::{self, fleet::FleetEdge};
use base::{db, waker::Waker};
use domain::orgs;

#[derive(Debug, Serialize)]
struct EdgeNews<'a> {
    changed: Vec<&'a str>,
}

/// An edge's connection. Excludes its round-trip time and contents, which change constantly.
#[derive(Debug, PartialEq, Eq)]
struct Connection {
    region: Option<String>,
    since: Option<OffsetDateTime>,
    build: Option<String>,
    via: Option<String>,
}

type Connections = BTreeMap<String, Connection>;

/// The edges as of the last poll.
#[derive(Debug)]
pub(super) struct Fleet {
    /// Empty before the first poll, and while no stream is open.
    last: Mutex<Option<Arc<Connections>>>,
    has_polled: watch::Sender<bool>,
    pub(super) waker: Waker,
}

impl Default for Fleet {
    fn default() -> Self {
        Self {
            last: Mutex::default(),
            has_polled: watch::Sender::new(false),
            waker: Waker::new(),
        }
    }
}

impl Fleet {
    /// From here on no change is missed, as long as a stream is open.
    pub(super) async fn follow(&self) {
        let mut has_polled = self.has_polled.subscribe();
        if !*has_polled.borrow() {
            self.waker.wake();
            let polled = has_polled.wait_for(|has_polled| *has_polled);
            // The basis of later comparisons. Changes meanwhile are not reported: the client has yet to read the list.
            drop(timeout(Duration::from_secs(1), polled).await);
        }
    }

    /// Replaces and returns the last poll's edges.
    fn replace(&self, now: Option<Arc<Connections>>) -> Option<Arc<Connections>> {
        self.has_polled.send_replace(now.is_some());
        mem::replace(&mut *self.last.lock(), now)
    }
}

impl Live {
    /// Polls the edges, and publishes those that changed.
    pub(super) async fn publish_edges(self) -> db::Result<()> {
        let org_ids = self.listeners.organizations_receiving(Topic::Edges);
        if org_ids.is_empty() {
            self.fleet.replace(None);
            return Ok(());
        }
        let now = self.clock.now();
        let mut conn = self.db.acquire().await?;
        let certificates = edges::store::list_valid(&mut conn, now).await?;
        let regions = orgs::store::list_data_regions(&mut conn, &org_ids).await?;
        drop(conn);
        let connected = self.publisher.fleet(Some(&[])).await;
        let fleet = edges::fleet::join(&certificates, connected, now);
        let fleet: Arc<Connections> = Arc::new(fleet.into_iter().map(connection).collect());
        let Some(before) = self.fleet.replace(Some(Arc::clone(&fleet))) else {
            return Ok(());
        };
        for (org_id, region) in regions {
            let changed = changed(&before, &fleet, &region);
            if !changed.is_empty() {
                let news = News::new(Topic::Edges, None, &EdgeNews { changed });
                self.listeners.send_news(org_id, &Arc::new(news));
            }
        }
        Ok(())
    }
}

fn connection(edge: FleetEdge) -> (String, Connection) {
    let connection = Connection {
        region: edge.region,
        since: edge.connected_since,
        build: edge.build,
        via: edge.via,
    };
    (edge.name, connection)
}

/// Changed edges, limited to those that may hold an organization of this data region.
fn changed<'a>(before: &'a Connections, now: &'a Connections, region: &str) -> Vec<&'a str> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let known = |edges: &'a Connections, name: &String| {
        let edge = edges.get(name);
        edge.filter(|edge| edge.region.as_ref().is_none_or(|only| only == region))
    };
    let changed = names
        .into_iter()
        .filter(|name| known(before, name) != known(now, name));
    changed.map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn edges(edges: &[(&str, Option<&str>, Option<OffsetDateTime>)]) -> Connections {
        let edges = edges.iter().map(|(name, region, since)| {
            let connection = Connection {
                region: region.map(str::to_owned),
                since: *since,
                build: since.map(|_| "1".to_owned()),
                via: None,
            };
            ((*name).to_owned(), connection)
        });
        edges.collect()
    }

    #[test]
    fn an_organization_receives_changes_of_the_edges_that_may_hold_it() {
        let since = Some(datetime!(2026-05-04 12:00 UTC));
        let later = Some(datetime!(2026-05-04 12:01 UTC));
        let before = edges(&[
            ("any", None, since),
            ("eu-1", Some("eu"), since),
            ("us-1", Some("us"), since),
            ("us-2", Some("us"), None),
            ("us-3", Some("us"), since),
            ("us-4", Some("us"), None),
        ]);
        let now = edges(&[
            ("any", None, later),
            ("eu-1", Some("eu"), None),
            ("eu-2", Some("eu"), None),
            ("us-1", Some("us"), since),
            ("us-2", Some("us"), since),
            ("us-3", Some("eu"), since),
        ]);
        let us = ["any", "us-2", "us-3", "us-4"];
        assert_eq!(changed(&before, &now, "us"), us);
        let eu = ["any", "eu-1", "eu-2", "us-3"];
        assert_eq!(changed(&before, &now, "eu"), eu);
        assert!(changed(&now, &now, "eu").is_empty());
    }
}
