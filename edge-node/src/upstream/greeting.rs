//! The greeting: the edge says what it holds, the control plane what belongs to it.
//!
//! An edge that holds much sums it up, so that both sides find out with a few kilobytes where they differ. A list may take
//! long over a slow line: only a line on which nothing moves is given up.

use std::collections::HashMap;

use fanout::{frames, while_moving};
use protocol::{
    ids::EnvId,
    summary::{Summary, bucket},
    wire::{
        codec::Decode,
        frame::CONTROL_LIMIT,
        message::{
            ControlMessage, EdgeMessage, Epoch, Held, Hello, Holds, Listed, Lists, Subscribe,
            Welcome,
        },
        parts::parts,
    },
};
use quinn::{Connection, RecvStream, SendStream};

use super::{
    Upstream,
    connect::{Link, SessionError},
    signers::Signers,
};
use crate::current::Listing;

/// The control stream of a new connection.
pub(super) struct ControlStream<'a> {
    pub(super) connection: &'a Connection,
    pub(super) sending: SendStream,
    pub(super) receiving: RecvStream,
}

/// What a control plane says first.
pub(super) struct Greeted {
    pub(super) welcome: Welcome,
    pub(super) signers: Signers,
    pub(super) listing: Listing,
}

/// Greets and is greeted.
pub(super) async fn greet(
    upstream: &Upstream,
    link: &Link,
    stream: &mut ControlStream<'_>,
) -> Result<Greeted, SessionError> {
    let (epoch, holds) = upstream.edge.holds();
    stream.send(&upstream.hello(epoch, &holds)).await?;
    let ControlMessage::Welcome(welcome) = stream.receive().await? else {
        return Err(SessionError::OutOfOrder);
    };
    let signers = if link.is_signing {
        let now_ms = upstream.edge.parts().clock.now_ms();
        Signers::verified(stream.receive().await?, &link.authority, now_ms)?
    } else {
        Signers::default()
    };
    upstream.check(&signers)?;
    let environments = stream.listing().await?;
    let confirmed = match &welcome.lists {
        Lists::Everything => Vec::new(),
        Lists::Buckets(buckets) => {
            let is_listed = |held: &Held| buckets.binary_search(&bucket(held.env_id)).is_ok();
            let (listed, others): (Vec<_>, Vec<_>) = holds.into_iter().partition(is_listed);
            stream.list(&listed).await?;
            others.iter().map(|held| held.env_id).collect()
        }
    };
    let listing = Listing {
        environments,
        confirmed,
    };
    Ok(Greeted {
        welcome,
        signers,
        listing,
    })
}

impl Upstream {
    fn hello(&self, epoch: Option<Epoch>, holds: &[Held]) -> EdgeMessage {
        let settings = &self.settings;
        // So few are listed one by one, which takes no more than a summary.
        let sums_up = settings.subscribe == Subscribe::All && holds.len() > 64;
        EdgeMessage::Hello(Hello {
            build: serving::build::text().to_owned(),
            region: settings.region.clone(),
            epoch,
            position: self.edge.position_in(epoch),
            holds: if sums_up {
                Holds::Summed(holds.iter().collect::<Summary>())
            } else {
                Holds::Listed(holds.to_vec())
            },
            subscribe: settings.subscribe,
        })
    }
}

impl ControlStream<'_> {
    async fn send(&mut self, message: &EdgeMessage) -> Result<(), SessionError> {
        let writing = frames::write(&mut self.sending, message);
        Ok(while_moving(self.connection, writing).await??)
    }

    async fn receive<M: Decode<()>>(&mut self) -> Result<M, SessionError> {
        let reading = frames::read(&mut self.receiving, CONTROL_LIMIT);
        Ok(while_moving(self.connection, reading).await??)
    }

    async fn listing(&mut self) -> Result<Vec<Listed>, SessionError> {
        let mut listed: HashMap<EnvId, Listed> = HashMap::new();
        loop {
            let ControlMessage::Listing {
                environments,
                is_last,
            } = self.receive().await?
            else {
                return Err(SessionError::OutOfOrder);
            };
            listed.extend(environments.into_iter().map(|env| (env.env_id, env)));
            // More than any edge could hold: this control plane is broken.
            if listed.len() > 4_000_000 {
                return Err(SessionError::OutOfOrder);
            }
            if is_last {
                return Ok(listed.into_values().collect());
            }
        }
    }

    /// Lists the environments held where the two sides differ.
    async fn list(&mut self, holds: &[Held]) -> Result<(), SessionError> {
        for (environments, is_last) in parts(holds) {
            self.send(&EdgeMessage::Holding {
                environments,
                is_last,
            })
            .await?;
        }
        Ok(())
    }
}
