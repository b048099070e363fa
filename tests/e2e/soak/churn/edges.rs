//! Edges that join under a name of their own and leave for good, half of them without a word; and a relay that is gone now and then.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use harness::{Edge, Stack};
use tokio::sync::Mutex;
use tokio::task::block_in_place;

use super::Kind;
use crate::soak::world::{World, until_answered};

pub struct Edges {
    stack: Arc<Mutex<Stack>>,
    upstream: Vec<String>,
    key: String,
}

impl Edges {
    pub fn new(world: &World) -> Self {
        Self {
            stack: Arc::clone(&world.stack),
            upstream: world.upstream.clone(),
            key: world.key.clone(),
        }
    }
}

impl Kind for Edges {
    const NAME: &str = "edges";
    const PAUSE: Duration = Duration::from_millis(500);

    async fn turn(&mut self, number: u64) {
        let upstream = &*self.upstream[number as usize % self.upstream.len()];
        let mut stack = self.stack.lock().await;
        let mut edge = block_in_place(|| stack.enrolled_edge_below(&[upstream], &[]));
        drop(stack);
        edge.start().await;
        let sdk = edge.with_key(&self.key);
        until_answered(&sdk, "standing", |answer| answer.body["value"] == true).await;
        leave(&mut edge, number);
        let stack = self.stack.lock().await;
        let revoke = ["edge", "revoke", &edge.name];
        let _printed = block_in_place(|| stack.halyard(&revoke));
        drop(stack);
        let identity = edge.identity();
        let folder = identity.parent().expect("a folder of the edge");
        fs::remove_dir_all(folder).expect("it is there");
    }
}

/// The relay that does not stay.
pub struct Relays(Arc<Mutex<Edge>>);

impl Relays {
    pub fn new(world: &World) -> Self {
        Self(Arc::clone(&world.passing))
    }
}

impl Kind for Relays {
    const NAME: &str = "relays";
    const PAUSE: Duration = Duration::from_secs(10);

    async fn turn(&mut self, number: u64) {
        let mut relay = self.0.lock().await;
        leave(&mut relay, number);
        relay.start().await;
    }
}

/// Every second one takes its leave.
fn leave(edge: &mut Edge, number: u64) {
    if number.is_multiple_of(2) {
        let status = block_in_place(|| edge.process.terminate());
        assert!(status.success(), "{}", edge.process.log());
    } else {
        edge.process.kill();
    }
}
