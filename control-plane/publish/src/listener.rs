//! Listens for commits and questions of other replicas, and wakes the jobs that wait for them in this process.
//!
//! Only a hint: notifications missed while it reconnects are made up for by those jobs' periodic polls.

use std::time::Duration;

use serving::error::chain;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};

use base::db::{CHANGES_CHANNEL, Db, REPLICAS_CHANNEL};

/// Pauses between attempts to connect: doubled from the first to the longest, each shortened at random.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Listens for as long as it is polled.
pub(super) async fn run(db: &Db) {
    let mut pause = FIRST_PAUSE;
    loop {
        let connected = tokio::time::Instant::now();
        let ended = db.unless_moved(listen(db)).await;
        let error = ended.map_or_else(|moved| moved, |Err(error)| error.into());
        tracing::warn!(
            error = chain(&error),
            "not listening for changes of other replicas; reconnecting"
        );
        if connected.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        tokio::time::sleep(pause.mul_f64(rand::random_range(0.5..1.0))).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn listen(db: &Db) -> Result<std::convert::Infallible, sqlx::Error> {
    // Not of a pool: it could not be given back while it hangs.
    let alone = PgPoolOptions::new().max_connections(1);
    let options = PgConnectOptions::clone(&db.pool().connect_options());
    let mut listener = PgListener::connect_with(&alone.connect_lazy_with(options)).await?;
    listener.eager_reconnect(false);
    listener
        .listen_all([CHANGES_CHANNEL, REPLICAS_CHANNEL])
        .await?;
    // Notifications sent before are made up for by polling now.
    db.changed().wake();
    db.asked().wake();
    loop {
        let Some(told) = listener.try_recv().await? else {
            return Err(sqlx::Error::Io(
                std::io::ErrorKind::ConnectionAborted.into(),
            ));
        };
        if told.channel() == REPLICAS_CHANNEL {
            db.asked().wake();
        } else if told.payload() != db.announcer() {
            // Commits of this process have already woken its jobs.
            db.changed().wake();
        }
    }
}
