//! What a connected relay says about the edges below it, and what it is told.
//!
//! Its questions are answered beside each other, so that one that takes long does not hold up the others. A relay has no
//! more of them open than [`ASKED`].

use std::{
    convert::Infallible,
    mem,
    sync::{Mutex, PoisonError},
};

use futures_util::{StreamExt, stream};
use protocol::wire::{
    message::{ControlMessage, Held},
    relay::{EdgeBelow, MAX_BELOW, MAX_NAME, RelayMessage, ToRelay},
};
use tokio::sync::mpsc;

use super::{close::Close, session::SessionError};
use crate::{
    Fingerprint, Reached, Rewound,
    hub::{Regions, Subscription},
    source::{NotAdmitted, Reporter, Source},
};

/// Questions of a relay that are answered at the same time, and as many that may wait.
const ASKED: usize = 128;
/// How much of the time that a write waits is left to the edges below a relay; the rest is for the way there and back.
const PASSED_ON: (u32, u32) = (4, 5);
/// Environments named in one message.
const NAMED: usize = 1_000;

/// A question that takes a while.
pub(super) enum Question {
    Admit {
        request: u64,
        certificate: Fingerprint,
    },
    CatchUp {
        request: u64,
    },
    Renew {
        request: u64,
        certificate: Fingerprint,
        certificate_request: Vec<u8>,
    },
}

/// A queue of questions: [`Relayed::hear`] puts them in, [`Relayed::answer`] takes them out.
pub(super) fn queue() -> (mpsc::Sender<Question>, mpsc::Receiver<Question>) {
    mpsc::channel(ASKED)
}

/// Serves a connected edge as a relay, if it is one, for as long as its session lasts.
pub(super) async fn serve<S: Source>(
    relayed: Option<&Relayed<'_, S>>,
    questions: mpsc::Receiver<Question>,
) -> Result<Infallible, SessionError> {
    let Some(relayed) = relayed else {
        return std::future::pending().await;
    };
    let never = tokio::join!(relayed.answer(questions), relayed.tell());
    match never.0 {}
}

/// A connected relay.
pub(super) struct Relayed<'a, S> {
    pub(super) source: &'a S,
    pub(super) reporter: &'a Reporter,
    pub(super) subscription: &'a Subscription,
    pub(super) outgoing: &'a mpsc::Sender<ControlMessage>,
    pub(super) questions: mpsc::Sender<Question>,
    /// The parts of a list that is not complete yet.
    pub(super) below: Mutex<Vec<EdgeBelow>>,
}

impl<S: Source> Relayed<'_, S> {
    /// Takes one of its messages.
    pub(super) fn hear(&self, message: RelayMessage) -> Result<(), SessionError> {
        match message {
            RelayMessage::Admit {
                request,
                certificate,
            } => self.ask(Question::Admit {
                request,
                certificate,
            }),
            RelayMessage::CatchUp { request } => self.ask(Question::CatchUp { request }),
            RelayMessage::Renew {
                request,
                certificate,
                certificate_request,
            } => self.ask(Question::Renew {
                request,
                certificate,
                certificate_request,
            }),
            RelayMessage::Below { edges, is_last } => self.hear_below(edges, is_last),
            RelayMessage::Reached {
                request,
                acknowledged,
                lagging,
                is_last,
            } => {
                let mut names = acknowledged.iter().chain(&lagging);
                if names.any(|name| name.len() > MAX_NAME) {
                    return Err(SessionError::Close(Close::Protocol));
                }
                let part = Reached {
                    acknowledged,
                    lagging,
                };
                if self.subscription.heard_below(request, part, is_last) {
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
                });
                Ok(())
            }
        }
    }

    /// More than a relay may have open violates the protocol.
    fn ask(&self, question: Question) -> Result<(), SessionError> {
        let asked = self.questions.try_send(question);
        asked.map_err(|_| SessionError::Close(Close::Protocol))
    }

    fn hear_below(&self, edges: Vec<EdgeBelow>, is_last: bool) -> Result<(), SessionError> {
        let mut below = self.below.lock().unwrap_or_else(PoisonError::into_inner);
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
        let is_newer = |held: &Held| {
            let version = self.source.hub().version(held.env_id);
            version.is_some_and(|version| held.version > version)
                && !self.source.is_left_out(held.env_id)
        };
        let is_proof = self.source.epoch() == Some(proof.epoch)
            && (proof.position > self.source.sight().looked().position
                || proof.held.as_ref().is_some_and(is_newer));
        if is_proof {
            // The edges are greeted again when another history has begun.
            let _refusal = self.source.rewound(proof);
        }
    }

    /// Answers its questions for as long as the session lasts.
    async fn answer(&self, mut questions: mpsc::Receiver<Question>) -> Infallible {
        stream::poll_fn(|cx| questions.poll_recv(cx))
            .for_each_concurrent(ASKED, async |question| {
                let answer = self.answer_to(question).await;
                self.say(answer).await;
            })
            .await;
        std::future::pending().await
    }

    async fn answer_to(&self, question: Question) -> ToRelay {
        match question {
            Question::Admit {
                request,
                certificate,
            } => match self.source.admit(&certificate).await {
                Ok(edge) => ToRelay::Admitted {
                    request,
                    name: edge.name,
                    region: edge.region,
                    is_relay: edge.is_relay,
                },
                Err(NotAdmitted::Refused(refusal)) => ToRelay::NotAdmitted {
                    request,
                    refusal: Some(refusal),
                },
                Err(NotAdmitted::Unavailable(_)) => ToRelay::NotAdmitted {
                    request,
                    refusal: None,
                },
            },
            Question::CatchUp { request } => {
                self.source.caught_up().await;
                let looked = self.source.sight().looked();
                self.subscription.caught_up().await;
                ToRelay::CaughtUp { request, looked }
            }
            Question::Renew {
                request,
                certificate,
                certificate_request,
            } => match self.source.renew(&certificate, certificate_request).await {
                Ok(certificate) => ToRelay::Renewed {
                    request,
                    certificate,
                },
                Err(reason) => ToRelay::NotRenewed { request, reason },
            },
        }
    }

    /// Says what the relay is, and then whatever the hub has for it.
    async fn tell(&self) -> Infallible {
        let region = self.reporter.regions.only().map(str::to_owned);
        let patience = self.source.patience() * PASSED_ON.0 / PASSED_ON.1;
        self.say(ToRelay::Serves {
            region,
            patience_ms: u32::try_from(patience.as_millis()).unwrap_or(u32::MAX),
        })
        .await;
        if self.reporter.regions == Regions::All {
            for (region, environments) in self.subscription.regions() {
                for part in environments.chunks(NAMED) {
                    self.say(ToRelay::Region {
                        region: region.to_string(),
                        environments: part.to_vec(),
                    })
                    .await;
                }
            }
        }
        loop {
            let message = self.subscription.next_for_relay().await;
            self.say(message).await;
        }
    }

    async fn say(&self, message: ToRelay) {
        // The writer drains the queue for as long as the session lasts.
        drop(self.outgoing.send(ControlMessage::Relay(message)).await);
    }
}
