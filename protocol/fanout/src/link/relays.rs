//! What a connected relay says about the edges below it, and what it is told.
//!
//! Its questions are answered beside each other, so that one that takes long does not hold up the others. A relay has no
//! more of them open than [`ASKED`].

use std::{collections::HashMap, convert::Infallible, mem, time::Duration};

use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use protocol::wire::{
    message::{ControlMessage, Held, Looked},
    relay::{EdgeBelow, MAX_BELOW, RelayMessage, ToRelay, is_edge_name},
};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

use super::{close::Close, session::SessionError};
use crate::{
    Fingerprint, Reached, Rewound,
    hub::{Regions, Subscription},
    source::{Admission, NotAdmitted, Reporter, Source},
};

/// Questions of a relay that are answered at the same time, and as many that may wait.
const ASKED: usize = 128;
/// How much of the time that a write waits is left to the edges below a relay; the rest is for the way there and back.
const PASSED_ON: (u32, u32) = (4, 5);

/// A queue of questions that take a while: [`Relayed::receive`] puts them in, [`Relayed::answer`] takes them out.
pub(super) fn queue() -> (mpsc::Sender<RelayMessage>, mpsc::Receiver<RelayMessage>) {
    mpsc::channel(ASKED)
}

/// Serves a connected edge as a relay, if it is one, for as long as its session lasts.
pub(super) async fn serve<S: Source>(
    relayed: Option<&Relayed<'_, S>>,
    questions: mpsc::Receiver<RelayMessage>,
) -> Result<Infallible, SessionError> {
    let Some(relayed) = relayed else {
        return std::future::pending().await;
    };
    let never = tokio::join!(relayed.answer(questions), relayed.notify());
    match never.0 {}
}

/// A connected relay.
pub(super) struct Relayed<'a, S> {
    pub(super) source: &'a S,
    pub(super) reporter: &'a Reporter,
    pub(super) subscription: &'a Subscription,
    pub(super) outgoing: &'a mpsc::Sender<ControlMessage>,
    pub(super) questions: mpsc::Sender<RelayMessage>,
    /// The parts of a list that is not complete yet.
    pub(super) below: Mutex<Vec<EdgeBelow>>,
    /// The edges below that were admitted over this connection, or reported since.
    pub(super) admitted: Mutex<HashMap<Fingerprint, Reporter>>,
}

impl<S: Source> Relayed<'_, S> {
    /// Takes one of its messages.
    pub(super) fn receive(&self, message: RelayMessage) -> Result<(), SessionError> {
        match message {
            RelayMessage::Admit { .. }
            | RelayMessage::CatchUp { .. }
            | RelayMessage::Renew { .. } => self.ask(message),
            RelayMessage::Below { edges, is_last } => self.receive_below(edges, is_last),
            RelayMessage::Reached {
                request,
                acknowledged,
                lagging,
                is_last,
            } => {
                let mut names = acknowledged.iter().chain(&lagging);
                if !names.all(|name| is_edge_name(name)) {
                    return Err(SessionError::Close(Close::Protocol));
                }
                let part = Reached {
                    acknowledged,
                    lagging,
                };
                if self.subscription.answered_below(request, part, is_last) {
                    Ok(())
                } else {
                    Err(SessionError::Close(Close::Protocol))
                }
            }
            RelayMessage::Rewound {
                epoch,
                position,
                held,
            } => {
                self.consider(Rewound {
                    epoch,
                    position,
                    held,
                    by: Some(self.reporter.certificate),
                });
                Ok(())
            }
        }
    }

    /// More than a relay may have open violates the protocol.
    fn ask(&self, question: RelayMessage) -> Result<(), SessionError> {
        let asked = self.questions.try_send(question);
        asked.map_err(|_| SessionError::Close(Close::Protocol))
    }

    fn receive_below(&self, edges: Vec<EdgeBelow>, is_last: bool) -> Result<(), SessionError> {
        let mut below = self.below.lock();
        if below.len() + edges.len() > MAX_BELOW || !edges.iter().all(EdgeBelow::is_within_bounds) {
            return Err(SessionError::Close(Close::Protocol));
        }
        below.extend(edges);
        if is_last {
            self.subscription.set_below(mem::take(&mut below));
        }
        Ok(())
    }

    /// An edge below may hold what there never was. That it does is seen here, not believed.
    fn consider(&self, proof: Rewound) {
        let is_impossible = |held: &Held| {
            let is_another = |digest| digest != held.digest;
            let listed = self.source.hub().find(held.env_id);
            listed.is_some_and(|listed| {
                held.version > listed.version
                    || (held.version == listed.version && listed.digest.is_some_and(is_another))
            }) && !self.source.is_left_out(held.env_id)
        };
        let is_proof = self.source.epoch() == Some(proof.epoch)
            && (proof.position > self.source.sight().looked().position
                || proof.held.as_ref().is_some_and(is_impossible));
        if is_proof {
            // The edges are greeted again when another history has begun.
            let _refusal = self.source.rewound(proof);
        }
    }

    /// Answers its questions for as long as the session lasts.
    async fn answer(&self, mut questions: mpsc::Receiver<RelayMessage>) -> Infallible {
        stream::poll_fn(|cx| questions.poll_recv(cx))
            .for_each_concurrent(ASKED, async |question| {
                if let Some(answer) = self.answer_to(question).await {
                    self.send(answer).await;
                }
            })
            .await;
        std::future::pending().await
    }

    /// Whoever has no answer asks again.
    async fn answer_to(&self, question: RelayMessage) -> Option<ToRelay> {
        Some(match question {
            RelayMessage::Admit {
                request,
                certificate,
            } => match self.source.admit(&certificate).await {
                Ok(edge) => {
                    self.remember(certificate, &edge);
                    ToRelay::Admitted {
                        request,
                        name: edge.name,
                        region: edge.region,
                        is_relay: edge.is_relay,
                    }
                }
                Err(NotAdmitted::Refused(refusal)) => ToRelay::NotAdmitted {
                    request,
                    refusal: Some(refusal),
                },
                Err(NotAdmitted::Unavailable(_)) => ToRelay::NotAdmitted {
                    request,
                    refusal: None,
                },
            },
            RelayMessage::CatchUp { request } => {
                let catching_up = async {
                    self.source.caught_up().await;
                    let (looked, at) = (self.source.sight().looked(), Instant::now());
                    self.subscription.caught_up().await;
                    let meanwhile = u32::try_from(at.elapsed().as_millis()).unwrap_or(u32::MAX);
                    Looked {
                        ago_ms: looked.ago_ms.saturating_add(meanwhile),
                        ..looked
                    }
                };
                // A relay that has not caught up by then asks again.
                let looked = timeout(Duration::from_secs(8), catching_up).await.ok()?;
                ToRelay::CaughtUp { request, looked }
            }
            RelayMessage::Renew {
                request,
                certificate,
                certificate_request,
            } => match self.renew(&certificate, certificate_request).await {
                Ok(certificate) => ToRelay::Renewed {
                    request,
                    certificate,
                },
                Err(reason) => ToRelay::NotRenewed { request, reason },
            },
            // No questions.
            RelayMessage::Below { .. }
            | RelayMessage::Reached { .. }
            | RelayMessage::Rewound { .. } => return None,
        })
    }

    /// No relay gets a certificate for more than it holds itself.
    async fn renew(&self, certificate: &Fingerprint, request: Vec<u8>) -> Result<Vec<u8>, String> {
        let edge = self.source.admit(certificate).await;
        let edge = edge.map_err(|error| error.to_string())?;
        if !self.reporter.regions.include(&edge.regions()) {
            return Err("the relay does not hold the certificate's regions".to_owned());
        }
        self.source.renew(certificate, request).await
    }

    /// An edge below this relay, by its certificate; `None` if that is not accepted, or of other regions.
    pub(super) async fn reporter(&self, certificate: Fingerprint) -> Option<Reporter> {
        let known = self.admitted.lock().get(&certificate).cloned();
        if known.is_some() {
            return known;
        }
        let edge = self.source.admit(&certificate).await.ok()?;
        self.remember(certificate, &edge)
    }

    fn remember(&self, certificate: Fingerprint, edge: &Admission) -> Option<Reporter> {
        let reporter = Reporter {
            name: edge.name.clone(),
            certificate,
            regions: self.reporter.regions.within(&edge.regions())?,
        };
        let mut admitted = self.admitted.lock();
        if admitted.len() >= MAX_BELOW {
            admitted.clear();
        }
        admitted.insert(certificate, reporter.clone());
        Some(reporter)
    }

    /// Says that it is known as a relay, before anything else.
    pub(super) async fn introduce(&self) {
        let region = self.reporter.regions.only().map(str::to_owned);
        let patience = self.source.patience() * PASSED_ON.0 / PASSED_ON.1;
        self.send(ToRelay::Serves {
            region,
            patience_ms: u32::try_from(patience.as_millis()).unwrap_or(u32::MAX),
        })
        .await;
    }

    /// Says where environments belong, and then whatever the hub has for it.
    async fn notify(&self) -> Infallible {
        if self.reporter.regions == Regions::All {
            for (region, environments) in self.subscription.regions() {
                for part in environments.chunks(1_000) {
                    self.send(ToRelay::Region {
                        region: region.to_string(),
                        environments: part.to_vec(),
                    })
                    .await;
                }
            }
        }
        loop {
            let message = self.subscription.next_for_relay().await;
            self.send(message).await;
        }
    }

    async fn send(&self, message: ToRelay) {
        // The writer drains the queue for as long as the session lasts.
        drop(self.outgoing.send(ControlMessage::Relay(message)).await);
    }
}
