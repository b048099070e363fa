//! What the machine's disk takes: a commit of the database, and a file that is made durable. Writes are told beside it.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use harness::{Stack, places};
use sqlx::{Connection, PgConnection, query};

/// Beside the database of a service.
pub struct Probe {
    database: PgConnection,
    file: File,
}

impl Probe {
    pub async fn begin(stack: &Stack) -> Self {
        let mut database = PgConnection::connect(stack.database().url())
            .await
            .expect("the database of the service answers");
        query("CREATE TABLE bench_commits (number bigint NOT NULL)")
            .execute(&mut database)
            .await
            .expect("a table");
        query("INSERT INTO bench_commits VALUES (0)")
            .execute(&mut database)
            .await
            .expect("a row");
        let file = tempfile::tempfile_in(places::target()).expect("a file in the target folder");
        Self { database, file }
    }

    /// The time of one commit that changes one row, ms.
    pub async fn commit(&mut self) -> f64 {
        let began = Instant::now();
        query("UPDATE bench_commits SET number = number + 1")
            .execute(&mut self.database)
            .await
            .expect("it commits");
        millis(began.elapsed())
    }

    /// The time that 8 KiB of a file take to the disk, ms.
    pub fn fsync(&mut self) -> f64 {
        let began = Instant::now();
        self.file.write_all(&[7; 8 << 10]).expect("there is room");
        self.file.sync_data().expect("the disk takes it");
        millis(began.elapsed())
    }
}

pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
