//! What JavaScript names by numbers: an argument that is a number is taken over in nanoseconds, an object of a class or a text in hundreds.
//!
//! Each thread of JavaScript has numbers of its own, which end with it. A number that is not in use answers as a client without flags does.

use std::{
    cell::RefCell,
    thread::{self, ThreadId},
};

use halyard::{Client, Context};
use napi_derive::napi;
use slab::Slab;

use crate::client::NativeClient;

thread_local! {
    static NUMBERED: RefCell<Numbered> = RefCell::default();
}

#[derive(Default)]
struct Numbered {
    clients: Slab<Asked>,
    contexts: Slab<Context>,
    /// The context of the next question alone, which has the number 0: the others begin with 1.
    passing: Context,
}

/// A client, with the keys that it was asked for.
struct Asked {
    client: Client,
    keys: Vec<Box<str>>,
}

/// What a question is about.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'n> {
    pub(crate) client: &'n Client,
    pub(crate) key: &'n str,
    pub(crate) context: &'n Context,
}

/// Asks what has these numbers, if all of it is there.
pub(crate) fn numbered<T>(
    client: u32,
    key: u32,
    context: u32,
    question: impl FnOnce(Asking<'_>) -> T,
) -> Option<T> {
    NUMBERED.with_borrow(|numbered| {
        let asked = numbered.clients.get(index(client))?;
        let key = asked.keys.get(index(key))?;
        let context = match context.checked_sub(1) {
            None => &numbered.passing,
            Some(held) => numbered.contexts.get(index(held))?,
        };
        Some(question(Asking {
            client: &asked.client,
            key,
            context,
        }))
    })
}

/// The number of a client, which is held until this is dropped.
pub(crate) struct Number {
    index: usize,
    thread: ThreadId,
}

impl Number {
    fn new(client: Client) -> Self {
        let keys = Vec::new();
        let asked = Asked { client, keys };
        Self {
            index: NUMBERED.with_borrow_mut(|numbered| numbered.clients.insert(asked)),
            thread: thread::current().id(),
        }
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        // Elsewhere the number is that of another client.
        if self.thread != thread::current().id() {
            return;
        }
        let gone = NUMBERED.try_with(|numbered| {
            let mut numbered = numbered.borrow_mut();
            numbered.clients.try_remove(self.index)
        });
        // If the thread ends, its numbers may have gone before.
        drop(gone);
    }
}

/// The number of a client, which it has until it is collected.
///
/// # Errors
/// When there are too many.
#[napi]
pub fn hold_client(client: &NativeClient) -> napi::Result<u32> {
    let held = client
        .number
        .get_or_init(|| Number::new(client.client.clone()));
    number(held.index)
}

/// The number of a key for a client, until `drop_keys`.
///
/// # Errors
/// When there is no such client, or there are too many keys.
#[napi]
pub fn hold_key(client: u32, key: String) -> napi::Result<u32> {
    NUMBERED.with_borrow_mut(|numbered| {
        let asked = numbered.clients.get_mut(index(client));
        let keys = &mut asked.ok_or_else(none)?.keys;
        keys.push(key.into());
        number(keys.len() - 1)
    })
}

/// Holds no key of a client any more: numbers begin again.
#[napi]
pub fn drop_keys(client: u32) {
    NUMBERED.with_borrow_mut(|numbered| {
        if let Some(asked) = numbered.clients.get_mut(index(client)) {
            asked.keys = Vec::new();
        }
    });
}

/// The number of a context, which is held until `drop_context`. It is JSON in the form of the API, as `JSON.stringify` writes it.
///
/// # Errors
/// When it is not of that form, or there are too many.
#[napi]
pub fn hold_context(json: String) -> napi::Result<u32> {
    let context = context(&json)?;
    number(NUMBERED.with_borrow_mut(|numbered| numbered.contexts.insert(context)) + 1)
}

/// Holds a context no longer.
#[napi]
pub fn drop_context(context: u32) {
    if let Some(held) = context.checked_sub(1) {
        NUMBERED.with_borrow_mut(|numbered| numbered.contexts.try_remove(index(held)));
    }
}

/// Sets the context with the number 0, for the next question.
///
/// # Errors
/// When it is not of that form.
#[napi]
pub fn set_context(json: String) -> napi::Result<()> {
    let context = context(&json)?;
    NUMBERED.with_borrow_mut(|numbered| numbered.passing = context);
    Ok(())
}

fn context(json: &str) -> napi::Result<Context> {
    serde_json::from_str(json).map_err(|why| {
        let why = format!("this is not a context: {why}");
        napi::Error::new(napi::Status::InvalidArg, why)
    })
}

const fn index(number: u32) -> usize {
    number as usize
}

fn number(index: usize) -> napi::Result<u32> {
    u32::try_from(index).map_err(|_| none())
}

fn none() -> napi::Error {
    napi::Error::new(napi::Status::InvalidArg, "there is no such number")
}
