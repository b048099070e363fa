//! Notices that files have changed.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::{
    sync::mpsc,
    task::spawn_blocking,
    time::{Instant, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::Files;

/// Files are read again after this time even if the system told of no change: not every file system does.
const AT_LATEST: Duration = Duration::from_secs(10);
/// Changes come in groups, such as from a checkout; the last one is waited for, as long as this.
const SETTLES: Duration = Duration::from_millis(50);
/// The last change is waited for no longer than this, and the files are read again this long after the start.
const AT_MOST: Duration = Duration::from_secs(1);

/// Reads the files again whenever they may have changed, until `stop` is cancelled.
pub(crate) async fn follow(mut files: Files, stop: CancellationToken) {
    let (tell, mut told) = mpsc::channel(1);
    let mut watched;
    // Whoever waits for the start is answered first: looking at many files again takes long.
    tokio::select! {
        () = stop.cancelled() => return,
        () = sleep(AT_MOST) => {}
    }
    loop {
        let tell = tell.clone();
        let reread = spawn_blocking(move || {
            // Made anew each time: a folder may have been replaced by another of its name. And before the files are read, so that
            // no change falls between.
            let watched = watch(&files.settings.path, tell);
            files.reread();
            (files, watched)
        });
        match reread.await {
            Ok(same) => (files, watched) = same,
            Err(error) => {
                tracing::error!(%error, "files are not read any more");
                return;
            }
        }
        let due = files.due_in().map_or(AT_LATEST, |due| due.min(AT_LATEST));
        tokio::select! {
            () = stop.cancelled() => break,
            _ = told.recv() => {
                let until = Instant::now() + AT_MOST;
                while timeout_at(until.min(Instant::now() + SETTLES), told.recv()).await.is_ok() {}
            }
            () = sleep(due + Duration::from_millis(1)) => {}
        }
    }
    drop(watched);
}

/// Watches a folder, or the folder of a file: a file that is replaced is another file.
fn watch(path: &Path, tell: mpsc::Sender<()>) -> Option<RecommendedWatcher> {
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_change = event.is_ok_and(|event| !event.kind.is_access());
        // If it is full, somebody is about to look anyway.
        if is_change && tell.try_send(()).is_err() {
            tracing::trace!("a change of files was told before");
        }
    });
    let mut watcher = watcher.ok()?;
    let (folder, mode) = if path.is_dir() {
        (path.to_owned(), RecursiveMode::Recursive)
    } else {
        (folder_of(path), RecursiveMode::NonRecursive)
    };
    watcher.watch(&folder, mode).ok()?;
    Some(watcher)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
