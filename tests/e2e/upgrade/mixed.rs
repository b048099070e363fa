//! Every pair that exists during an upgrade, or after going back by one release.

use std::time::Duration;

use harness::{
    Edge, eventually,
    places::Release::{self, Current, Previous},
    process::Process,
};
use serde_json::json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Mixed, ask_for_unknown, counted, is_left_out, metric};
use crate::scene::state_serving;

const FAST: (&str, &str) = ("USAGE_FLUSH_INTERVAL", "200ms");

/// Edges of both releases at control planes and relays of both.
struct Fleet {
    mixed: Mixed,
    relays: Vec<Edge>,
    edges: Vec<Edge>,
}

impl Fleet {
    async fn start() -> Self {
        let mut mixed = Mixed::start(&[FAST]).await;
        let controls = [
            mixed.scene.stack.quic().to_owned(),
            mixed.control.quic.clone(),
        ];
        let stack = &mut mixed.scene.stack;
        let (mut relays, mut edges) = (Vec::new(), Vec::new());
        // Each relay at the control plane of the other release.
        for (release, control) in [(Current, &controls[0]), (Previous, &controls[1])] {
            let mut relay = stack.enrolled_relay_below(&[control], None);
            relay.process.install(release);
            relay.start().await;
            relays.push(relay);
        }
        let below = relays.iter().map(Edge::relay_address);
        for upstream in controls.iter().cloned().chain(below) {
            for release in [Previous, Current] {
                let mut edge = stack.enrolled_edge_below(&[&upstream], &[FAST]);
                edge.process.install(release);
                edge.start().await;
                edges.push(edge);
            }
        }
        Self {
            mixed,
            relays,
            edges,
        }
    }

    fn all(&self) -> Vec<&Edge> {
        let own = [&self.mixed.scene.edge];
        let others = self.edges.iter().chain(&self.relays);
        others.chain(own).collect()
    }

    fn control(&mut self, release: Release) -> &mut Process {
        match release {
            Current => &mut self.mixed.control.process,
            Previous => &mut self.mixed.scene.stack.control,
        }
    }

    async fn leads(&self, release: Release) -> bool {
        let admin = match release {
            Current => self.mixed.control.admin(),
            Previous => self.mixed.scene.stack.admin(),
        };
        metric(&admin, "halyard_leads").await == 1.0
    }

    /// Has the leader change the flag at a time, which reaches all edges.
    async fn schedules(&self, release: Release, value: &str) {
        let owner = self.mixed.owner_at(release);
        let soon = OffsetDateTime::now_utc() + Duration::from_secs(1);
        let path = self.mixed.scene.state_path();
        let mut state = state_serving(value);
        state["enabled"] = json!(false);
        state["scheduled_enable_at"] = json!(soon.format(&Rfc3339).unwrap());
        owner.change(&path, state).await;
        self.mixed.all_serve(&self.all(), value).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn releases_work_together_in_every_pair() {
    if is_left_out() {
        return;
    }
    let mut fleet = Fleet::start().await;
    for (round, release) in [Previous, Current, Previous, Current]
        .into_iter()
        .enumerate()
    {
        let value = format!("v{round}");
        fleet.mixed.serve_at(release, &value).await;
        fleet.mixed.all_serve(&fleet.all(), &value).await;
    }

    for edge in fleet.all() {
        ask_for_unknown(&edge.with_key(&fleet.mixed.scene.key), 7).await;
    }
    let expected = 7 * fleet.all().len() as u64;
    for release in [Previous, Current] {
        let owner = fleet.mixed.owner_at(release);
        eventually("all is counted", async || {
            (counted(&owner).await == expected).then_some(())
        })
        .await;
    }
    // Contents agree: nothing was asked for again, and no history began.
    for admin in [fleet.mixed.control.admin(), fleet.mixed.scene.stack.admin()] {
        for name in ["halyard_resyncs_total", "halyard_database_rewinds_total"] {
            assert_eq!(metric(&admin, name).await, 0.0, "{name}");
        }
    }

    // Either leads, after the other.
    for (gone, leads) in [(Current, Previous), (Previous, Current)] {
        fleet.control(gone).kill();
        eventually("the other one leads", async || {
            fleet.leads(leads).await.then_some(())
        })
        .await;
        fleet.control(gone).start().await;
        fleet.schedules(leads, &format!("led by {leads:?}")).await;
    }
    assert_eq!(counted(&fleet.mixed.owner_at(Current)).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn edges_go_on_with_the_copy_of_the_other_release_and_the_previous_control_plane_with_the_new_schema()
 {
    if is_left_out() {
        return;
    }
    let mut fleet = Fleet::start().await;
    fleet.mixed.serve_at(Current, "kept").await;
    fleet.mixed.all_serve(&fleet.all(), "kept").await;
    for release in [Current, Previous] {
        fleet.control(release).kill();
    }
    let key = fleet.mixed.scene.key.clone();
    let others = [Previous, Current].into_iter().cycle().skip(1);
    for (edge, other) in fleet.edges.iter_mut().zip(others) {
        ask_for_unknown(&edge.with_key(&key), 5).await;
        edge.process.terminate();
        edge.process.install(other);
        edge.start_unready().await;
    }
    fleet.mixed.all_serve(&fleet.all(), "kept").await;

    fleet.control(Previous).start().await;
    fleet.mixed.serve_at(Previous, "gone back").await;
    let edges: Vec<_> = fleet.edges.iter().take(2).collect();
    fleet.mixed.all_serve(&edges, "gone back").await;
    fleet.control(Current).start().await;
    fleet.mixed.all_serve(&fleet.all(), "gone back").await;
    let owner = fleet.mixed.owner_at(Current);
    eventually("what was counted before is reported", async || {
        (counted(&owner).await == 5 * fleet.edges.len() as u64).then_some(())
    })
    .await;
}
