//! The line between a control plane and its database.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fanout::NotNow;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use crate::{database::Database, network::Place, weather::Weather};

/// Questions without an answer are given up after this time.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Open,
    /// Nothing is answered.
    Hangs,
    /// Everything is refused at once.
    Refuses,
}

#[derive(Clone)]
pub(crate) struct Line(Arc<Parts>);

struct Parts {
    place: Place,
    weather: Weather,
    database: Arc<Mutex<Database>>,
    state: watch::Sender<State>,
    questions: AtomicU64,
}

impl Line {
    pub(crate) fn new(seed: u64, place: Place, database: &Arc<Mutex<Database>>) -> Self {
        Self(Arc::new(Parts {
            place,
            weather: Weather::new(seed),
            database: Arc::clone(database),
            state: watch::Sender::default(),
            questions: AtomicU64::new(0),
        }))
    }

    pub(crate) fn set(&self, state: State) {
        self.0.state.send_replace(state);
    }

    /// Asks something of the database. After an error it may have been done or not.
    pub(crate) async fn ask<T>(&self, work: impl FnOnce(&mut Database) -> T) -> Result<T, NotNow> {
        timeout(PATIENCE, async {
            self.passes(0).await?;
            let done = work(&mut self.0.database.lock().unwrap());
            self.passes(1).await?;
            Ok(done)
        })
        .await
        .map_err(|_| NotNow)?
    }

    async fn passes(&self, way: u64) -> Result<(), NotNow> {
        let number = self.0.questions.fetch_add(1, Ordering::Relaxed);
        sleep(self.0.weather.database(self.0.place, number << 1 | way)).await;
        let mut state = self.0.state.subscribe();
        let passing = state.wait_for(|state| *state != State::Hangs).await;
        match passing.map(|state| *state) {
            Ok(State::Open) => Ok(()),
            _ => Err(NotNow),
        }
    }

    /// Waits until something is said to have been committed.
    pub(crate) async fn announced(&self) {
        let mut commits = self.0.database.lock().unwrap().commits();
        // What is lost on the way is found by the next poll.
        drop(commits.changed().await);
    }
}
