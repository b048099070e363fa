//! The greeting over the link: what the edge says it holds, what it is told, and what it holds of that.

use std::time::Duration;

use protocol::wire::{
    frame::{EDGE_LIMIT, HELLO_LIMIT},
    message::{ControlMessage, EdgeMessage, Held, Hello, Holds, Listed, Lists, Subscribe, Welcome},
    parts::parts,
    relay::MAX_NAME,
};
use quinn::{Connection, RecvStream, SendStream};
use tokio::{sync::watch, time::timeout};

use super::{
    close::Close,
    handshakes::Handshake,
    session::{HEARTBEAT, SessionError},
};
use crate::{
    Fingerprint,
    frames::{self, StreamError},
    greeting::{Greeting, Guest},
    hub::{Identity, Interest, Regions},
    line,
    outbox::Outbox,
    source::{Admission, Signers, Source},
    tls::is_signing,
};

/// What it takes to greet an edge whose certificate is accepted.
pub(super) struct Reception<'a, S> {
    pub(super) source: &'a S,
    pub(super) connection: &'a Connection,
    pub(super) fingerprint: Fingerprint,
    pub(super) edge: &'a Admission,
}

/// An edge that was greeted, with its control stream.
pub(super) struct Greeted<S> {
    pub(super) sending: SendStream,
    pub(super) receiving: RecvStream,
    pub(super) regions: Regions,
    pub(super) outbox: Outbox<S>,
    /// Further ones that the edge is told of, if it understands that.
    pub(super) signers: Option<watch::Receiver<Signers>>,
}

impl<S: Source> Reception<'_, S> {
    /// Greets and is greeted. The permit bounds how many have not identified themselves yet.
    pub(super) async fn greet(&self, permit: Handshake) -> Result<Greeted<S>, SessionError> {
        // No greeting may take longer, however steadily it moves.
        timeout(Duration::from_secs(300), self.exchange(permit))
            .await
            .map_err(|_| SessionError::NoGreeting)?
    }

    async fn exchange(&self, permit: Handshake) -> Result<Greeted<S>, SessionError> {
        // Only so many may be at this, so nobody is waited for who merely keeps the line moving.
        let reading = line::while_heard(self.connection, self.read_hello());
        let read = reading.await.map_err(|_| SessionError::NoGreeting)?;
        let (mut sending, mut receiving, hello) = read?;
        drop(permit);
        let regions = narrow(self.edge.region.as_deref(), hello.region.as_deref())?;
        if !self.source.regions().include(&regions) {
            return Err(SessionError::Close(Close::Region));
        }
        let guest = self.guest(&hello, regions.clone());
        let greeting = guest.welcome(self.source, &hello.holds).await?;
        let Greeting {
            lists,
            environments,
            ..
        } = &greeting;
        // Above all pushes. Cannot fail on an open stream, and writing notices a closed one.
        drop(sending.set_priority(10));
        let mut signers = is_signing(self.connection).then(|| self.source.signers());
        let told = signers
            .as_mut()
            .map(|signers| signers.borrow_and_update().to_vec());
        let welcoming = write(&mut sending, self.welcome(&greeting), told, environments);
        self.while_moving(welcoming).await??;
        tracing::info!(
            peer = %self.connection.remote_address(),
            edge.name = self.edge.name,
            edge.region = self.edge.region,
            edge.build = hello.build,
            environments = greeting.count(),
            listed = environments.len(),
            "edge connected"
        );
        let holds = match (hello.holds, lists) {
            (Holds::Listed(holds), _) => holds,
            (Holds::Summed(_), Lists::Everything) => Vec::new(),
            (Holds::Summed(_), Lists::Buckets(_)) => {
                self.read_holdings(&mut receiving, environments).await?
            }
        };
        Ok(Greeted {
            outbox: guest.connect(self.source, &greeting, &holds).await?,
            sending,
            receiving,
            regions,
            signers,
        })
    }

    async fn read_hello(&self) -> Result<(SendStream, RecvStream, Hello), SessionError> {
        let (sending, mut receiving) = self.connection.accept_bi().await?;
        match frames::read(&mut receiving, HELLO_LIMIT).await? {
            EdgeMessage::Hello(hello) if is_within_bounds(&hello) => {
                Ok((sending, receiving, hello))
            }
            _ => Err(SessionError::Close(Close::Protocol)),
        }
    }

    /// What the edge holds where it differs. Of the rest of those buckets it holds what is gone, which need not be known.
    async fn read_holdings(
        &self,
        receiving: &mut RecvStream,
        listed: &[Listed],
    ) -> Result<Vec<Held>, SessionError> {
        let mut wanted: Vec<_> = listed.iter().map(|listed| listed.env_id).collect();
        wanted.sort_unstable();
        let mut holds = Vec::new();
        loop {
            let reading = frames::read(receiving, EDGE_LIMIT);
            let EdgeMessage::Holding {
                environments,
                is_last,
            } = self.while_moving(reading).await??
            else {
                return Err(SessionError::OutOfOrder);
            };
            let is_wanted = |held: &Held| wanted.binary_search(&held.env_id).is_ok();
            holds.extend(environments.into_iter().filter(is_wanted));
            // More than one of each is no answer.
            if holds.len() > wanted.len() {
                return Err(SessionError::OutOfOrder);
            }
            if is_last {
                return Ok(holds);
            }
        }
    }

    fn guest(&self, hello: &Hello, regions: Regions) -> Guest {
        Guest {
            identity: Identity {
                name: self.edge.name.clone(),
                region: regions.only().map(str::to_owned),
                build: hello.build.clone(),
                since: self.source.clock().now(),
                is_relay: self.edge.is_relay,
            },
            regions,
            interest: match hello.subscribe {
                Subscribe::All => Interest::All,
                Subscribe::OnDemand => Interest::Named,
            },
            fingerprint: Some(self.fingerprint),
            epoch: hello.epoch,
            position: hello.position,
        }
    }

    fn welcome(&self, greeting: &Greeting) -> Welcome {
        Welcome {
            name: self.edge.name.clone(),
            epoch: greeting.epoch,
            looked: self.source.sight().looked(),
            now_ms: self.source.now_ms(),
            heartbeat_ms: u32::try_from(HEARTBEAT.as_millis()).unwrap_or(u32::MAX),
            stream_secret: self.source.stream_secret(),
            lists: greeting.lists.clone(),
        }
    }

    async fn while_moving<T>(&self, work: impl Future<Output = T>) -> Result<T, SessionError> {
        let done = line::while_moving(self.connection, work).await;
        done.map_err(|_| SessionError::NoGreeting)
    }
}

/// Writes a greeting with what it lists.
async fn write(
    stream: &mut SendStream,
    welcome: Welcome,
    signers: Option<Vec<Vec<u8>>>,
    listed: &[Listed],
) -> Result<(), StreamError> {
    frames::write(stream, &ControlMessage::Welcome(welcome)).await?;
    if let Some(certificates) = signers {
        frames::write(stream, &ControlMessage::Signers { certificates }).await?;
    }
    for (environments, is_last) in parts(listed) {
        let part = ControlMessage::Listing {
            environments,
            is_last,
        };
        frames::write(stream, &part).await?;
    }
    Ok(())
}

/// Whether what is told of the edge, by relays too, is of a length that it can have.
fn is_within_bounds(hello: &Hello) -> bool {
    let mut texts = std::iter::once(&hello.build).chain(&hello.region);
    texts.all(|text| text.len() <= MAX_NAME)
}

/// An edge may ask for less than its certificate allows, never for something else.
fn narrow(certificate: Option<&str>, asked: Option<&str>) -> Result<Regions, SessionError> {
    match (certificate, asked) {
        (None, None) => Ok(Regions::All),
        (None, Some(region)) | (Some(region), None) => Ok(Regions::Only(region.into())),
        (Some(region), Some(asked)) if region == asked => Ok(Regions::Only(region.into())),
        (Some(_), Some(_)) => Err(SessionError::Close(Close::Region)),
    }
}
