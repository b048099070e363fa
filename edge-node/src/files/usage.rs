//! What an edge does with its counts where nobody collects them: metrics, and a file if one is named.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::PathBuf,
};

use protocol::wire::usage::UsageBatch;
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::Edge;

/// Takes batches for as long as it is polled.
pub(crate) async fn take_usage(edge: Edge, path: Option<PathBuf>) {
    loop {
        let batch = edge.parts().usage.next().await;
        count(&batch);
        if let Some(path) = path.clone() {
            let written = batch.clone();
            let done = spawn_blocking(move || append(&path, &written)).await;
            let failed = match done {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(error) => Some(error.to_string()),
            };
            if let Some(error) = failed {
                metrics::counter!("halyard_edge_files_usage_failures_total").increment(1);
                tracing::warn!(error, "usage was not written to its file");
            }
        }
        edge.usage_stored(batch.boot, batch.sequence);
    }
}

/// Adds a batch to the metrics. Flags are named that are served, and few others: whoever asks for what is not there must not
/// make series without end, so those are one.
fn count(batch: &UsageBatch) {
    for one in &batch.evaluations {
        let is_unknown = one.reason == protocol::reason::Reason::NotFound;
        let flag = if is_unknown { "" } else { &one.flag_key };
        metrics::counter!(
            "halyard_edge_flag_evaluations_total",
            "flag" => flag.to_owned(),
            "reason" => one.reason.as_str(),
            "variant" => one.variant_key.clone(),
        )
        .increment(one.count);
    }
    let impressions = batch.impressions.len() as u64;
    if impressions > 0 {
        metrics::counter!("halyard_edge_impressions_total").increment(impressions);
    }
}

/// Appends a batch, a line of JSON for each count and impression.
fn append(path: &PathBuf, batch: &UsageBatch) -> io::Result<()> {
    let mut lines = Vec::new();
    for one in &batch.evaluations {
        let line = json!({
            "flag": one.flag_key,
            "reason": one.reason.as_str(),
            "value": one.value,
            "variant": one.variant_key,
            "count": one.count,
        });
        writeln!(lines, "{line}")?;
    }
    for one in &batch.impressions {
        let line = json!({
            "flag": one.flag_key,
            "variant": one.variant_key,
            "user": one.user_key,
            "at_ms": one.at_ms,
        });
        writeln!(lines, "{line}")?;
    }
    if lines.is_empty() {
        return Ok(());
    }
    let mut file: File = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(&lines)
}
