//! What relays are asked about the edges below them: which of these serve a change.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use protocol::wire::relay::{MAX_BELOW, ToRelay};
use tokio::{sync::oneshot, time::timeout};

use super::{
    Hub,
    below::Below,
    state::{Connected, State},
    subscription::Subscription,
};
use crate::{Change, Reached};

/// Questions that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Questions {
    last: u64,
    open: HashMap<u64, Question>,
}

#[derive(Debug)]
struct Question {
    connection: u64,
    /// Names as they came.
    heard: Reached,
    answer: oneshot::Sender<Reached>,
}

/// A question to one relay, until dropped.
struct Asked<'a> {
    hub: &'a Hub,
    number: u64,
    answer: oneshot::Receiver<Reached>,
    /// The edges below it.
    silent: Vec<String>,
}

impl Questions {
    /// A relay has left: its answers are not waited for any more.
    pub(super) fn answered_no_more(&mut self, connection: u64) {
        self.open
            .retain(|_, question| question.connection != connection);
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.open.len()
    }
}

impl Question {
    fn names(&self) -> usize {
        self.heard.acknowledged.len() + self.heard.lagging.len()
    }
}

impl Hub {
    /// What the edges below relays say of a change: those that do not serve it are waited for, at most for `patience`.
    /// Relays that were asked before are not asked again.
    pub(super) async fn reached_below(
        &self,
        change: &Change,
        patience: Duration,
        before: &mut HashSet<u64>,
    ) -> Reached {
        let mut relays = self.state().relays_concerned(change);
        relays.retain(|connection| before.insert(*connection));
        let asked = relays
            .into_iter()
            .filter_map(|connection| self.ask(connection, change, patience));
        let answers = asked.map(|asked| asked.reached(patience));
        let mut reached = Reached::default();
        for below in futures_util::future::join_all(answers).await {
            reached.merge(below);
        }
        reached
    }

    fn ask(&self, connection: u64, change: &Change, patience: Duration) -> Option<Asked<'_>> {
        let state = &mut *self.state();
        let connected = state.connected.get(&connection)?;
        let round_trip = Duration::from_micros(connected.signals.vitals.rtt_us());
        // Time for the question and the answer.
        let on_the_way = (Duration::from_millis(100) + round_trip).min(patience / 2);
        state.questions.last += 1;
        let number = state.questions.last;
        let (answer, answered) = oneshot::channel();
        let is_sent = connected.signals.send_to_relay(ToRelay::AskReached {
            request: number,
            version: change.version,
            environments: change.environments.clone(),
            patience_ms: millis(patience - on_the_way),
        });
        // Otherwise the sender is dropped, which is an answer too.
        if is_sent {
            let question = Question {
                connection,
                heard: Reached::default(),
                answer,
            };
            state.questions.open.insert(number, question);
        }
        let silent = connected.below.iter().flat_map(Below::names);
        Some(Asked {
            hub: self,
            number,
            answer: answered,
            silent: silent.map(str::to_owned).collect(),
        })
    }
}

impl Asked<'_> {
    /// Of a relay that does not answer, or has left, nobody can say what is served below it.
    async fn reached(mut self, patience: Duration) -> Reached {
        match timeout(patience, &mut self.answer).await {
            Ok(Ok(reached)) => reached,
            Ok(Err(_)) | Err(_) => Reached {
                acknowledged: Vec::new(),
                lagging: std::mem::take(&mut self.silent),
            },
        }
    }
}

impl Drop for Asked<'_> {
    /// Also where whoever asked has given up.
    fn drop(&mut self) {
        self.hub.state().questions.open.remove(&self.number);
    }
}

impl State {
    /// The relays below which there are edges that may have a part in the change.
    fn relays_concerned(&self, change: &Change) -> Vec<u64> {
        let has_edges = |connected: &Connected| connected.below.iter().any(Below::has_edges);
        let relays = self
            .connected
            .iter()
            .filter(|(_, connected)| has_edges(connected) && self.has_part(connected, change));
        relays.map(|(id, _)| *id).collect()
    }
}

impl Subscription {
    /// A part of the relay's answer; false if it names more edges than there can be.
    pub(crate) fn answered_below(&self, request: u64, part: Reached, is_last: bool) -> bool {
        let mut state = self.hub.state();
        let open = &mut state.questions.open;
        let question = open.get_mut(&request);
        let Some(question) = question.filter(|question| question.connection == self.id) else {
            return true;
        };
        question.heard.acknowledged.extend(part.acknowledged);
        question.heard.lagging.extend(part.lagging);
        // As many may have left a moment ago.
        if question.names() > 2 * MAX_BELOW {
            open.remove(&request);
            return false;
        }
        if is_last && let Some(question) = open.remove(&request) {
            // Whoever asked may have given up.
            drop(question.answer.send(question.heard));
        }
        true
    }
}

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
