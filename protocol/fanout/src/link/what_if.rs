//! Tells an edge whose requests are sampled, and what is asked about them.

use std::{convert::Infallible, time::Duration};

use protocol::{what_if::MOST_SAMPLED, wire::message::ControlMessage};
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval},
};

use super::session::SessionError;
use crate::{hub::Regions, questions::Untold, source::Source};

/// How often it is looked whether environments belong to the edge now that did not before.
const AGAIN: Duration = Duration::from_secs(5);

/// Tells of environments that the edge may hold, now and whenever there are others, and of each question about them once.
pub(super) async fn tell<S: Source>(
    source: &S,
    outgoing: &mpsc::Sender<ControlMessage>,
    regions: &Regions,
    is_signing: bool,
) -> Result<Infallible, SessionError> {
    if !is_signing {
        return std::future::pending().await;
    }
    let never = tokio::join!(
        tell_sampled(source, outgoing, regions),
        tell_questions(source, outgoing, regions),
    );
    match never.0 {}
}

async fn tell_sampled<S: Source>(
    source: &S,
    outgoing: &mpsc::Sender<ControlMessage>,
    regions: &Regions,
) -> Infallible {
    let mut sampled = source.sampled();
    let mut again = interval(AGAIN);
    again.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Also that there are none: some may have been while there was no link.
    let mut told = None;
    loop {
        tokio::select! {
            changed = sampled.changed() => if changed.is_err() {
                return std::future::pending().await;
            },
            _ = again.tick() => {}
        }
        let all = sampled.borrow_and_update().clone();
        let mut allowed = source.hub().within(&all, |one| one.env_id, regions);
        allowed.truncate(MOST_SAMPLED);
        if told.as_ref() != Some(&allowed) {
            // The writer drains the queue for as long as the session lasts.
            drop(
                outgoing
                    .send(ControlMessage::Sampled(allowed.clone()))
                    .await,
            );
            told = Some(allowed);
        }
    }
}

async fn tell_questions<S: Source>(
    source: &S,
    outgoing: &mpsc::Sender<ControlMessage>,
    regions: &Regions,
) -> Infallible {
    let mut untold = Untold::new(source.questions());
    loop {
        let asked = untold.next(|asked| source.hub().is_within(asked.env_id(), regions));
        drop(outgoing.send(ControlMessage::Question(asked.await)).await);
    }
}
