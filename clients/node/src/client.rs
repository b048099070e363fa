//! The client: its life. What it is asked is in `ask`.

use std::sync::{Mutex, OnceLock, PoisonError};

use halyard::{Client, StartError};
use napi::bindgen_prelude::{Either, Function, spawn_blocking};
use napi_derive::napi;
use tokio::task::AbortHandle;

use crate::{
    news::{News, listen},
    numbered::Number,
    options::Options,
    status::NativeStatus,
};

/// A client of the Rust SDK, its number, and the function that is told of its news.
#[napi]
pub struct NativeClient {
    pub(crate) client: Client,
    pub(crate) number: OnceLock<Number>,
    listening: Mutex<Option<AbortHandle>>,
}

/// Why there is no client.
#[napi(object, object_from_js = false)]
pub struct Failure {
    /// In one word.
    pub code: String,
    /// For people.
    pub message: String,
}

type Started = Either<NativeClient, Failure>;

/// Starts a client; with `wait`, once there are flags.
///
/// # Errors
/// Never: what went wrong is the answer.
#[napi]
pub async fn start(options: Options, wait: bool) -> napi::Result<Started> {
    let started = match options.builder() {
        Ok(builder) if wait => builder.start().await,
        // It may read a file.
        Ok(builder) => match spawn_blocking(|| builder.start_without_waiting()).await {
            Ok(started) => started,
            Err(why) => return Ok(failure("SETTINGS", &why.to_string())),
        },
        Err(why) => Err(why),
    };
    Ok(match started {
        Ok(client) => NativeClient::new(client),
        Err(why) => failure(code(&why), &why.to_string()),
    })
}

/// A client that answers from a file alone.
///
/// # Errors
/// Never: what went wrong is the answer.
#[napi]
pub async fn from_file(path: String) -> napi::Result<Started> {
    let read = spawn_blocking(|| Client::from_snapshot_file(path)).await;
    Ok(match read {
        Ok(Ok(client)) => NativeClient::new(client),
        Ok(Err(why)) => failure("FILE", &why.to_string()),
        Err(why) => failure("FILE", &why.to_string()),
    })
}

const fn code(why: &StartError) -> &'static str {
    match why {
        StartError::Refused(_) => "REFUSED",
        StartError::Timeout(_) => "TIMEOUT",
        _ => "SETTINGS",
    }
}

fn failure(code: &str, message: &str) -> Started {
    Either::B(Failure {
        code: code.to_owned(),
        message: message.to_owned(),
    })
}

#[napi]
impl NativeClient {
    fn new(client: Client) -> Started {
        Either::A(Self {
            client,
            number: OnceLock::new(),
            listening: Mutex::default(),
        })
    }

    /// Tells that a variant was shown.
    #[napi]
    pub fn track(&self, flag: String, variant: String, user: String) {
        self.client.track(&flag, &variant, &user);
    }

    /// How many calls of `track` are lost.
    #[napi]
    pub fn tracks_dropped(&self) -> f64 {
        crate::detail::number(self.client.tracks_dropped())
    }

    /// The keys of all flags.
    #[napi]
    pub fn flag_keys(&self) -> Vec<String> {
        self.client.flag_keys()
    }

    /// How the client is doing.
    #[napi]
    pub fn status(&self) -> NativeStatus {
        (&self.client.status()).into()
    }

    /// Tells a function of all news, in place of the one before. It is held until `unlisten`.
    ///
    /// # Errors
    /// When the thread is ending.
    #[napi]
    pub fn listen(&self, listener: Function<'_, News, ()>) -> napi::Result<()> {
        self.tell(Some(listen(&self.client, &listener)?));
        Ok(())
    }

    /// Tells nobody any more.
    #[napi]
    pub fn unlisten(&self) {
        self.tell(None);
    }

    /// Ends the background tasks after a last report.
    ///
    /// # Errors
    /// Never.
    #[napi]
    pub async fn close(&self) -> napi::Result<()> {
        self.client.close().await;
        Ok(())
    }

    fn tell(&self, listening: Option<AbortHandle>) {
        let mut place = self
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *place, listening) {
            before.abort();
        }
    }
}

impl Drop for NativeClient {
    fn drop(&mut self) {
        self.tell(None);
    }
}
