//! Uploading usage, over whichever connection there is.
//!
//! The counting side has the [`Uplink`]: it is notified of every new connection, and then sends what is not stored yet.
//! An upload that was handed over but not answered may be lost with its connection, and is sent again over the next
//! one.

use std::convert::Infallible;

use fanout::frames;
use protocol::wire::{message::EdgeMessage, usage::Upload};
use quinn::Connection;
use tokio::sync::mpsc;

use super::connect::SessionError;

/// Hands uploads to the current connection.
#[derive(Clone, Debug)]
pub(crate) struct Uploader(mpsc::Sender<Outgoing>);

impl Uploader {
    /// Hands an upload to the connection; waits while there is none or it is busy. Cancellation safe: an upload that
    /// was not taken is not sent.
    pub(crate) async fn upload(&self, upload: Upload) {
        // The other end goes away only when the process stops.
        drop(self.0.send(Outgoing::Upload(upload)).await);
    }
}

/// A report of the link to the counting side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// There is a new connection: send what is not stored.
    Connected,
    /// A batch is stored.
    Stored {
        /// Its boot.
        boot: [u8; 16],
        /// Its number.
        sequence: u64,
    },
    /// Upload what was counted until now; then call [`Uplink::flushed`] once it is stored.
    Flush {
        /// Number of the request.
        request: u64,
    },
}

/// A message to be sent.
#[derive(Debug)]
enum Outgoing {
    Upload(Upload),
    Flushed(u64),
}

/// The counting side.
#[derive(Debug)]
pub(crate) struct Uplink {
    pub(crate) uploader: Uploader,
    notices: mpsc::Receiver<Notice>,
}

/// The sending side, used by the current connection.
#[derive(Debug)]
pub(crate) struct Uploads {
    outgoing: mpsc::Receiver<Outgoing>,
    notices: Notices,
}

/// Where the link puts its notices.
#[derive(Clone, Debug)]
pub(super) struct Notices(mpsc::Sender<Notice>);

/// Both sides, not connected.
pub(crate) fn pair() -> (Uplink, Uploads) {
    let (sender, outgoing) = mpsc::channel(4);
    // A notice beyond these is lost, which costs nothing but time.
    let (notices, heard) = mpsc::channel(256);
    (
        Uplink {
            uploader: Uploader(sender),
            notices: heard,
        },
        Uploads {
            outgoing,
            notices: Notices(notices),
        },
    )
}

impl Uplink {
    /// The next notice; pending for ever once the link has ended for good.
    pub(crate) async fn notice(&mut self) -> Notice {
        match self.notices.recv().await {
            Some(notice) => notice,
            None => std::future::pending().await,
        }
    }

    /// Answers a request to flush.
    pub(crate) async fn flushed(&self, request: u64) {
        drop(self.uploader.0.send(Outgoing::Flushed(request)).await);
    }
}

impl Uploads {
    /// Called for a new connection: what waited for the previous one is dropped, since it will be sent again.
    pub(super) fn connected(&mut self) -> Notices {
        while self.outgoing.try_recv().is_ok() {}
        self.notices.notify(Notice::Connected);
        self.notices.clone()
    }

    /// Sends until the connection ends.
    pub(super) async fn send(
        &mut self,
        connection: &Connection,
        is_signing: bool,
        control: &mpsc::Sender<EdgeMessage>,
    ) -> Result<Infallible, SessionError> {
        while let Some(outgoing) = self.outgoing.recv().await {
            match outgoing {
                // A server of the version before does not know them.
                Outgoing::Upload(Upload::Defaults(_)) if !is_signing => {}
                Outgoing::Upload(upload) => {
                    let mut stream = connection.open_uni().await?;
                    // Below acknowledgements and look-ups. On a stream that was just opened neither of the two can fail, unless its
                    // connection ended.
                    drop(stream.set_priority(-1));
                    frames::write(&mut stream, &upload).await?;
                    drop(stream.finish());
                }
                Outgoing::Flushed(request) => {
                    drop(control.send(EdgeMessage::Flushed { request }).await);
                }
            }
            // The counting side is gone, which must not end the connection.
        }
        std::future::pending().await
    }
}

impl Notices {
    pub(super) fn stored(&self, boot: [u8; 16], sequence: u64) {
        self.notify(Notice::Stored { boot, sequence });
    }

    /// False if the counting side is gone.
    pub(super) fn flush(&self, request: u64) -> bool {
        self.notify(Notice::Flush { request })
    }

    fn notify(&self, notice: Notice) -> bool {
        self.0.try_send(notice).is_ok()
    }
}
