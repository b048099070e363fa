//! What listeners are told.

use halyard::{Changed, Client, Status};
use napi::{
    Status as Called,
    bindgen_prelude::{Function, spawn},
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode},
};
use napi_derive::napi;
use tokio::task::AbortHandle;

use crate::{
    detail::number,
    status::{NativeStatus, is_news},
};

/// One of the two.
#[napi(object, object_from_js = false)]
pub struct News {
    /// Flags changed.
    pub change: Option<NativeChange>,
    /// The client is doing otherwise.
    pub status: Option<NativeStatus>,
}

/// Flags may answer differently.
#[napi(object, object_from_js = false)]
pub struct NativeChange {
    /// The version that answers.
    pub version: f64,
    /// Their keys.
    pub flags: Vec<String>,
}

/// A function of JavaScript that does not keep the process alive.
type Listener = ThreadsafeFunction<News, (), News, Called, false, true>;

/// Tells a function of all news, from now on.
///
/// # Errors
/// When the environment of the function is ending.
pub(crate) fn listen(
    client: &Client,
    listener: &Function<'_, News, ()>,
) -> napi::Result<AbortHandle> {
    let listener: Listener = listener
        .build_threadsafe_function::<News>()
        .weak::<true>()
        .build()?;
    let mut changes = client.subscribe();
    let mut status = client.watch_status();
    let mut before = status.borrow_and_update().clone();
    let task = spawn(async move {
        loop {
            let news = tokio::select! {
                changed = changes.next() => changed.map(News::from),
                waited = status.changed() => match waited {
                    Err(_) => None,
                    Ok(()) => {
                        let now = status.borrow_and_update().clone();
                        let is_news = is_news(&before, &now);
                        before = now;
                        if !is_news {
                            continue;
                        }
                        Some(News::from(&before))
                    }
                },
            };
            let Some(news) = news else { return };
            if listener.call(news, ThreadsafeFunctionCallMode::NonBlocking) != Called::Ok {
                return;
            }
        }
    });
    Ok(task.abort_handle())
}

impl From<Changed> for News {
    fn from(changed: Changed) -> Self {
        Self {
            change: Some(NativeChange {
                version: number(changed.version),
                flags: changed.flags,
            }),
            status: None,
        }
    }
}

impl From<&Status> for News {
    fn from(status: &Status) -> Self {
        Self {
            change: None,
            status: Some(status.into()),
        }
    }
}
