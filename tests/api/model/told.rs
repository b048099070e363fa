//! What the service tells of what is done: entries of the audit log, and events.

use std::time::Duration;

use super::{contract::Outcome, operations::Actor, world::World};

impl World {
    /// What the audit log has that it had not when last asked: who did it, and what.
    pub async fn news(&mut self) -> Vec<(Option<Actor>, String)> {
        let page = self.owner.get("/v1/audit?limit=20").await;
        let entries = page.body["data"].as_array().expect("entries").iter();
        let mut news: Vec<_> = entries
            .filter(|entry| {
                self.seen
                    .insert(entry["id"].as_str().expect("an id").to_owned())
            })
            .map(|entry| {
                let actor = entry["actor_id"]
                    .as_str()
                    .and_then(|id| self.names.users.get(id));
                (
                    actor.copied(),
                    entry["action"].as_str().expect("an action").to_owned(),
                )
            })
            .collect();
        // Those of one transaction have one time.
        news.sort();
        news
    }

    /// Expects what a step did to be told to the receiver of webhooks.
    pub fn expect_events(&mut self, outcome: &Outcome) {
        // A state is a part of its flag.
        let told = outcome.events().map(|action| match action {
            "flag.state_updated" => "flag.updated",
            other => other,
        });
        let told = told.filter(|action| self.event_types.contains(*action));
        self.events.extend(told.map(str::to_owned));
    }

    /// What was told to the receiver of webhooks and was not expected, or the other way round, once all has been sent; in order or, as two at
    /// once do, in any.
    pub async fn untold(&mut self, in_order: bool) -> Option<String> {
        // A second on the clock for each look: lanes wait that long between deliveries.
        for _ in 0..3_000 {
            if self.receiver.received().len() >= self.events.len() {
                break;
            }
            self.tick();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let received = self.receiver.received();
        let told = received
            .iter()
            .map(|one| one.header("x-webhook-event").to_owned());
        let (mut told, mut expected): (Vec<_>, _) = (told.collect(), self.events.clone());
        if !in_order {
            told.sort();
            expected.sort();
        }
        (told != expected).then(|| format!("events {expected:?}, but {told:?}"))
    }

    /// What the log has once so many schedules have fired, or as many as ever do.
    pub async fn fired(&mut self, count: usize) -> Vec<(Option<Actor>, String)> {
        let mut news = Vec::new();
        for _ in 0..1_000 {
            if news.len() >= count {
                break;
            }
            news.extend(self.news().await);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        news
    }
}
