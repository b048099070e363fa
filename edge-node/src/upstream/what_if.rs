//! Sampled environments and questions about them, over a link.

use std::{convert::Infallible, sync::Arc};

use fanout::frames;
use protocol::{
    what_if::{Finding, MOST_SAMPLED, Sampled, SignedQuestion},
    wire::usage::Upload,
};
use tokio::sync::mpsc;

use super::{connect::SessionError, session::Session};

/// What was found about the questions of a session; lost when it ends.
pub(super) struct Findings {
    pub(super) found: mpsc::Sender<Finding>,
    waiting: tokio::sync::Mutex<mpsc::Receiver<Finding>>,
}

impl Findings {
    pub(super) fn new() -> Self {
        let (found, waiting) = mpsc::channel(1);
        let waiting = waiting.into();
        Self { found, waiting }
    }
}

impl Session<'_> {
    /// Takes the environments that are sampled, here and below.
    pub(super) fn take_sampled(&self, all: Vec<Sampled>) -> Result<(), SessionError> {
        let are_allowed = all.len() <= MOST_SAMPLED && all.iter().all(Sampled::is_within_bounds);
        if !self.link.is_signing || !are_allowed {
            return Err(SessionError::OutOfOrder);
        }
        self.upstream.edge.sample(&all);
        self.upstream.downstream.sampled(all);
        Ok(())
    }

    /// Takes a question. One that nobody trusted has signed is not answered, here or below.
    pub(super) fn take_question(&self, signed: Arc<SignedQuestion>) -> Result<(), SessionError> {
        if !self.link.is_signing || !signed.question.is_within_bounds() {
            return Err(SessionError::OutOfOrder);
        }
        let found = self.findings.found.clone();
        if self.upstream.edge.question(&signed, found) {
            self.upstream.downstream.asked(signed);
        }
        Ok(())
    }

    /// Uploads what is found, for as long as the session lasts.
    pub(super) async fn upload_findings(&self) -> Result<Infallible, SessionError> {
        let mut waiting = self.findings.waiting.lock().await;
        while let Some(finding) = waiting.recv().await {
            let mut stream = self.link.connection.open_uni().await?;
            // Below acknowledgements and look-ups, as other uploads. On a stream that was just opened neither of the two can
            // fail, unless its connection ended.
            drop(stream.set_priority(-1));
            frames::write(&mut stream, &Upload::Finding(finding)).await?;
            drop(stream.finish());
        }
        unreachable!("the session itself holds a sender")
    }
}
