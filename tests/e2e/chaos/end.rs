//! What there is at the end, when no client asks any more.

use std::time::Duration;

use harness::eventually;
use serde_json::Value;
use sqlx::{PgPool, Row};
use tokio::time::sleep;

use super::check;
use super::history::{OFF, Sight, Tally};
use super::load::{ONE, OTHER, SOLO, counter};
use super::world::{Node, World};

/// Counts may be sent once more after they were complete.
const TWICE: Duration = Duration::from_secs(2);

/// Reads the histories of flags.
pub async fn look_at_histories(world: &World) {
    let database = PgPool::connect(world.cluster.url()).await;
    let database = database.expect("a database");
    let notes =
        "SELECT comment, COUNT(*) FROM flag_versions WHERE comment IS NOT NULL GROUP BY comment";
    let notes = sqlx::query(notes).fetch_all(&database).await;
    let known = &mut world.recorder.history().kept.notes;
    for row in notes.expect("histories of flags") {
        let found = usize::try_from(row.get::<i64, _>(1)).expect("a number");
        let times = known.entry(row.get(0)).or_default();
        *times = found.max(*times);
    }
}

/// What the control planes say at the end, once all that is certain to be counted is.
pub async fn look(world: &World) {
    look_at_histories(world).await;
    for (_, server) in &world.writer.servers {
        for key in [ONE, OTHER, SOLO] {
            let path = format!(
                "/v1/projects/{}/flags/{key}/environments/{}",
                world.writer.project, world.writer.env
            );
            let state = server.get(&path).await;
            state.expect_status(200);
            let value = match state.body["enabled"] == true {
                true => state.text("/default_value"),
                false => OFF.to_owned(),
            };
            let value = (key.to_owned(), Sight::Is(value));
            world.recorder.history().kept.values.push(value);
        }
    }
    eventually("all is counted that cannot be lost", async || {
        let tallies = tallies(world).await;
        let history = world.recorder.history();
        let is_counted = |tally: &Tally| {
            let [evaluations, impressions] = check::counts(&history, &tally.edge);
            tally.evaluations >= *evaluations.start() && tally.impressions >= *impressions.start()
        };
        tallies.iter().all(is_counted).then_some(())
    })
    .await;
    sleep(TWICE).await;
    let tallies = tallies(world).await;
    world.recorder.history().tallies = tallies;
}

async fn tallies(world: &World) -> Vec<Tally> {
    let owner = &world.writer.owner;
    let counted = owner.get("/v1/metrics/evaluations").await;
    let shown = owner.get("/v1/metrics/impressions").await;
    let sum = |list: &Value, field: &str, name: &str| {
        let all = list.as_array().expect("a list").iter();
        let of_name = all.filter(|one| one[field] == name);
        of_name.filter_map(|one| one["count"].as_u64()).sum()
    };
    let tally = |node: Node| Tally {
        edge: node.name().to_owned(),
        evaluations: sum(&counted.body["counters"], "flag_key", &counter(node.name())),
        impressions: sum(&shown.body, "variant_key", node.name()),
    };
    Node::ALL.map(tally).to_vec()
}
