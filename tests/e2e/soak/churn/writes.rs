//! Webhooks, one of which stays and whose receiver is not always well; change sets that are applied, now or soon, or dropped.

use std::sync::Arc;
use std::time::Duration;

use harness::{Answer, Receiver, User};
use reqwest::Method;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Kind;
use crate::soak::world::World;

pub struct Webhooks {
    owner: User,
    receiver: Arc<Receiver>,
}

impl Webhooks {
    pub fn new(world: &World) -> Self {
        Self {
            owner: world.owner.clone(),
            receiver: Arc::clone(&world.receiver),
        }
    }

    async fn create(&self, name: &str) -> String {
        let url = self.receiver.url("/");
        let body = json!({"name": name, "url": url, "secret": "s3cret"});
        let made = self.owner.create("/v1/webhooks", body).await;
        format!("/v1/webhooks/{}", made.text("/id"))
    }
}

impl Kind for Webhooks {
    const NAME: &str = "webhooks";
    const PAUSE: Duration = Duration::from_millis(500);

    async fn turn(&mut self, number: u64) {
        if number == 0 {
            self.create("Standing").await;
        }
        let trouble = match number % 4 {
            0 => Answer::Status(500),
            1 => Answer::Hang,
            2 => Answer::Close,
            _ => Answer::Status(200),
        };
        self.receiver.answers([trouble]);
        let webhook = self.create("Passing").await;
        let tested = self
            .owner
            .post(&format!("{webhook}/test"), Value::Null)
            .await;
        tested.expect_status(202);
        let deliveries = self.owner.get(&format!("{webhook}/deliveries")).await;
        deliveries.expect_status(200);
        self.owner.remove(&webhook).await;
    }
}

pub struct ChangeSets {
    owner: User,
    project: String,
}

impl ChangeSets {
    pub fn new(world: &World) -> Self {
        Self {
            owner: world.owner.clone(),
            project: format!("/v1/projects/{}", world.project.id),
        }
    }
}

impl Kind for ChangeSets {
    const NAME: &str = "change sets";
    const PAUSE: Duration = Duration::from_millis(300);

    async fn turn(&mut self, number: u64) {
        let sets = format!("{}/change-sets", self.project);
        // What others have changed meanwhile is a conflict.
        let key = match number % 4 {
            1 => format!("scheduled-{}", number / 4 % 16),
            _ => "at-once".to_owned(),
        };
        let flag = json!({"key": key, "name": format!("Flag {number}")});
        let body = json!({"name": "Passing", "changes": {"flags": [flag]}});
        let set = self.owner.create(&sets, body).await.text("/id");
        let set = format!("{sets}/{set}");
        let soon = OffsetDateTime::now_utc() + Duration::from_secs(2);
        let soon = soon.format(&Rfc3339).expect("a time");
        let at = match number % 4 {
            0 => return drop(self.owner.remove(&set).await),
            1 => json!({"at": soon}),
            _ => json!({}),
        };
        let apply = format!("{set}/apply");
        let apply = self.owner.request(Method::POST, &apply).json(&at);
        let applied = self.owner.send(apply).await;
        applied.expect_status(200);
    }
}
