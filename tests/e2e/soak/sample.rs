//! What is measured: memory and all gauges of each process, the disk of each edge, rows and bytes of each table.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use harness::{Caller, places};
use serde_json::{Map, json};
use sqlx::{AssertSqlSafe, PgPool, Row};

use super::world::Node;

/// Something that is measured again and again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Series {
    /// Private memory of a process. What it has in memory of its own program is not: that grows with each line that runs for the
    /// first time.
    Memory(&'static str),
    /// A gauge of a process, by its name and labels.
    Gauge(&'static str, String),
    /// Lines of all metrics of a process.
    Metrics(&'static str),
    /// Bytes in the folder of a cache.
    Disk(&'static str),
    Rows(String),
    Bytes(String),
}

impl Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(node) => write!(f, "{node}: KiB of memory"),
            Self::Gauge(node, gauge) => write!(f, "{node}: {gauge}"),
            Self::Metrics(node) => write!(f, "{node}: lines of metrics"),
            Self::Disk(node) => write!(f, "{node}: KiB on disk"),
            Self::Rows(table) => write!(f, "{table}: rows"),
            Self::Bytes(table) => write!(f, "{table}: KiB"),
        }
    }
}

/// All series, with the seconds and the value of each measurement.
#[derive(Clone, Debug, Default)]
pub struct Samples(pub BTreeMap<Series, Vec<(f64, f64)>>);

impl Samples {
    /// Measures processes, and notes it under this time.
    pub async fn take(&mut self, at: f64, nodes: &[Node]) {
        for node in nodes {
            let name = node.name;
            if let Some(memory) = private_kib(node.id) {
                self.note(at, Series::Memory(name), memory);
            }
            let metrics = metrics(&node.admin).await;
            self.note(at, Series::Metrics(name), metrics.lines().count() as f64);
            for (gauge, value) in gauges(&metrics) {
                self.note(at, Series::Gauge(name, gauge), value);
            }
            if let Some(cache) = &node.cache {
                self.note(at, Series::Disk(name), bytes_below(cache) as f64 / 1_024.0);
            }
        }
    }

    /// Measures tables.
    pub async fn take_tables(&mut self, at: f64, pool: &PgPool) {
        for (table, [rows, bytes]) in tables(pool).await {
            self.note(at, Series::Rows(table.clone()), rows as f64);
            self.note(at, Series::Bytes(table), bytes as f64 / 1_024.0);
        }
    }

    fn note(&mut self, at: f64, series: Series, value: f64) {
        self.0.entry(series).or_default().push((at, value));
    }

    /// What was measured since then.
    pub fn since(&self, then: f64) -> Self {
        let series = self.0.iter();
        let late = series.map(|(series, points)| {
            let late = points.iter().filter(|(at, _)| *at >= then);
            (series.clone(), late.copied().collect())
        });
        Self(late.collect())
    }

    /// Writes them to a file, a line of JSON for each moment; where it is.
    pub fn save(&self) -> PathBuf {
        let folder = places::target().join("soak");
        fs::create_dir_all(&folder).expect("a folder for samples");
        let path = folder.join("samples.jsonl");
        let mut moments = BTreeMap::<u64, Map<_, _>>::new();
        for (series, points) in &self.0 {
            for (at, value) in points {
                let moment = moments.entry((at * 1_000.0) as u64).or_default();
                moment.insert(series.to_string(), json!(value));
            }
        }
        let mut file = BufWriter::new(File::create(&path).expect("a file for the samples"));
        for (at, values) in moments {
            let line = json!({"ms": at, "values": values});
            writeln!(file, "{line}").expect("it is written");
        }
        file.flush().expect("it is written");
        path
    }
}

/// Nothing where the system does not tell.
fn private_kib(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

async fn metrics(admin: &Caller) -> String {
    let answer = admin.get("/metrics").await;
    answer.expect_status(200);
    answer.body.as_str().expect("a text").to_owned()
}

/// Gauges that are no times, and say nothing about what comes and goes.
fn gauges(metrics: &str) -> Vec<(String, f64)> {
    let mut gauges = Vec::new();
    let mut is_gauge = false;
    for line in metrics.lines() {
        if let Some(head) = line.strip_prefix("# TYPE ") {
            is_gauge = head.ends_with(" gauge");
        } else if is_gauge
            && let Some((name, value)) = line.rsplit_once(' ')
            && !line.starts_with('#')
            && !name.contains("_seconds")
            && !name.starts_with("process_resident")
            && !name.starts_with("process_virtual")
            && !name.contains("{edge=")
        {
            gauges.push((name.to_owned(), value.parse().expect("a number")));
        }
    }
    gauges
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // What has gone meanwhile has no size.
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes_below(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// Rows and bytes of each table.
pub async fn tables(pool: &PgPool) -> BTreeMap<String, [i64; 2]> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT relname::text FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition
         UNION
         SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE relkind = 'r'",
    )
    .fetch_all(pool)
    .await
    .expect("tables");
    let counts = names.iter().map(|table| {
        format!("SELECT '{table}', COUNT(*), pg_total_relation_size('{table}') FROM {table}")
    });
    let counts = counts.collect::<Vec<_>>().join(" UNION ALL ");
    let rows = sqlx::query(AssertSqlSafe(counts)).fetch_all(pool).await;
    let rows = rows.expect("numbers").into_iter();
    rows.map(|row| (row.get(0), [row.get(1), row.get(2)]))
        .collect()
}
