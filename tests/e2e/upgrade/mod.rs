//! The release before and this one together, over one database: `docs/production.md` says what that promises.

mod data;
mod load;
mod mixed;
mod news;
mod rolling;
mod schema;

use std::env;

use harness::{
    Caller, Control, Edge,
    places::{Release, previous_release},
};
use serde_json::{Value, json};
use serving::clock::Clock;

use crate::scene::{Scene, eventually_serves, state_serving};

/// Whether this machine says that it has no build of the previous release.
fn is_left_out() -> bool {
    let is_left_out = env::var_os("HALYARD_WITHOUT_PREVIOUS").is_some();
    if is_left_out {
        eprintln!("not checked: HALYARD_WITHOUT_PREVIOUS is set");
    }
    is_left_out
}

/// A scene that the previous release made and serves, with one more control plane of this release, which has migrated the database.
struct Mixed {
    scene: Scene,
    /// This release's.
    control: Control,
}

impl Mixed {
    async fn start(edge_settings: &[(&'static str, &str)]) -> Self {
        let scene = Scene::start_of(Release::Previous, edge_settings).await;
        let (tag, _) = previous_release();
        let version = scene.stack.halyard(&["--version"]);
        assert!(
            version.starts_with(&format!("halyard {}", &tag[1..])),
            "{version}"
        );
        let control = scene
            .stack
            .another_control_of(Release::Current, "new")
            .await;
        Self { scene, control }
    }

    /// The owner, at the control plane of a release.
    fn owner_at(&self, release: Release) -> Caller {
        let url = match release {
            Release::Current => &self.control.url,
            Release::Previous => &self.scene.stack.url,
        };
        Caller::of_another_service(url, Clock::system()).with_token(&self.scene.owner.access_token)
    }

    /// Makes the flag serve `value` by a write at the control plane of a release.
    async fn serve_at(&self, release: Release, value: &str) {
        let path = self.scene.state_path();
        self.owner_at(release)
            .change(&path, state_serving(value))
            .await;
    }

    /// Waits until each of these edges serves `value`.
    async fn all_serve(&self, edges: &[&Edge], value: &str) {
        for edge in edges {
            eventually_serves(&edge.with_key(&self.scene.key), value).await;
        }
    }
}

/// Asks an edge so many times for a flag that nobody has, which is counted.
async fn ask_for_unknown(sdk: &Caller, times: u32) {
    let unknown = json!({"flag_key": "counted", "context": {"key": "user-1"}});
    for _ in 0..times {
        sdk.act("/v1/evaluate", unknown.clone()).await;
    }
}

/// How often that flag was asked for, as a control plane counts.
async fn counted(owner: &Caller) -> u64 {
    let answer = owner.get("/v1/metrics/evaluations").await;
    let counters = answer.body["counters"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let of_it = counters.iter().filter(|one| one["flag_key"] == "counted");
    of_it.filter_map(|one| one["count"].as_u64()).sum()
}

/// The sum of a counter over its labels.
async fn metric(admin: &Caller, name: &str) -> f64 {
    let answer = admin.get("/metrics").await;
    let Value::String(text) = answer.body else {
        panic!("metrics are text");
    };
    let of_it = text.lines().filter(|line| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([' ', '{']))
    });
    of_it
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .sum()
}
