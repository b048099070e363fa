//! Tells listeners and the log of what is new.

use std::{mem::discriminant, sync::Arc};

use halyard::{Changed, Changes, State, Status};
use pyo3::prelude::*;
use tokio::{select, sync::watch, task::spawn_blocking};

use crate::{
    listeners::{Listeners, Topic, log},
    process::Shared,
    status,
};

enum News {
    Changed(Changed),
    Status(Status),
}

/// Tells from now on, in calls one after the other, from a thread that waits for Python so that no other one does.
pub(crate) fn follow(
    py: Python<'_>,
    client: &halyard::Client,
    shared: &Shared,
    listeners: &Arc<Listeners>,
) -> PyResult<()> {
    let (changes, mut status) = (client.subscribe(), client.watch_status());
    let first = status.borrow_and_update().clone();
    match first.last_error.as_deref() {
        // What went wrong besides, such as a local copy that is damaged.
        Some(why) if first.state == State::Ready => log(py, "warning", why, None)?,
        Some(_) => {
            let mut well = first.clone();
            well.state = State::Ready;
            log_status(py, &well, &first)?;
        }
        None => {}
    }
    let telling = tell(changes, status, first, Arc::clone(listeners));
    shared.tellers.spawn_on(telling, &shared.runtime);
    Ok(())
}

async fn tell(
    mut changes: Changes,
    mut status: watch::Receiver<Status>,
    mut before: Status,
    listeners: Arc<Listeners>,
) {
    loop {
        let news = select! {
            () = listeners.stop.cancelled() => return,
            changed = changes.next() => match changed {
                Some(changed) => News::Changed(changed),
                None => return,
            },
            changed = status.changed() => match changed {
                Ok(()) => News::Status(status.borrow_and_update().clone()),
                Err(_) => return,
            },
        };
        let mut known = before.clone();
        if let News::Status(now) = &news {
            if is_same(&before, now) {
                continue;
            }
            known = std::mem::replace(&mut before, now.clone());
        }
        let listeners = Arc::clone(&listeners);
        let told =
            spawn_blocking(move || Python::try_attach(|py| call(py, &listeners, news, &known)));
        if !matches!(told.await, Ok(Some(()))) {
            return;
        }
    }
}

/// Versions are told as changes.
fn is_same(before: &Status, now: &Status) -> bool {
    before.state == now.state && before.last_error == now.last_error
}

fn call(py: Python<'_>, listeners: &Listeners, news: News, before: &Status) {
    let told = match news {
        News::Changed(changed) => Bound::new(py, status::Changed(changed))
            .map(|changed| listeners.tell(py, Topic::Changes, changed.as_any())),
        News::Status(now) => log_status(py, before, &now)
            .and_then(|()| Bound::new(py, status::Status(now)))
            .map(|now| listeners.tell(py, Topic::Status, now.as_any())),
    };
    if let Err(raised) = told {
        raised.write_unraisable(py, None);
    }
}

/// Once for each state, except that what goes wrong without flags is always told.
fn log_status(py: Python<'_>, before: &Status, now: &Status) -> PyResult<()> {
    let why = now.last_error.as_deref().unwrap_or_default();
    let is_new = discriminant(&before.state) != discriminant(&now.state);
    match now.state {
        State::Refused if is_new => {
            let message = format!("the API key is refused, flags stay as they are: {why}");
            log(py, "error", &message, None)
        }
        State::Stale { .. } if is_new || before.last_error.is_none() => {
            log(py, "warning", &format!("flags may be old: {why}"), None)
        }
        State::NotReady => log(
            py,
            "warning",
            &format!("there are no flags yet: {why}"),
            None,
        ),
        State::Ready if is_new => log(py, "info", "flags are up to date", None),
        _ => Ok(()),
    }
}
