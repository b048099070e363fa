//! Why the last answer of a thread was given: told when asked for, since objects take longer to make than answers.

use std::cell::RefCell;

use halyard::{Detail, ErrorKind, Reason};
use napi_derive::napi;

thread_local! {
    static LAST: RefCell<Detail<()>> = const { RefCell::new(NOTHING) };
}

const NOTHING: Detail<()> = Detail {
    value: (),
    reason: Reason::Error,
    variant: None,
    version: None,
    error: Some(ErrorKind::ProviderNotReady),
};

/// Says that the answer names a variant.
const HAS_VARIANT: u32 = 16;
/// Says that the answer has an error.
const HAS_ERROR: u32 = 32;

/// Keeps why an answer was given, and is its value, if it is no default of the caller.
pub(crate) fn keep<T>(answer: Option<Detail<T>>) -> Option<T> {
    let (value, why) = match answer {
        Some(answer) => {
            let is_answered = matches!(answer.error, None | Some(ErrorKind::General));
            let why = Detail {
                value: (),
                reason: answer.reason,
                variant: answer.variant,
                version: answer.version,
                error: answer.error,
            };
            (is_answered.then_some(answer.value), why)
        }
        None => (None, NOTHING),
    };
    LAST.replace(why);
    value
}

/// The reasons as the protocol spells them, in the order of their numbers.
#[napi]
pub fn reasons() -> Vec<&'static str> {
    Reason::ALL.iter().map(|reason| reason.as_str()).collect()
}

/// The number of the reason, 16 more if there is a `variant`, and 32 if there is an `error`.
#[napi]
pub fn why() -> u32 {
    LAST.with_borrow(|last| {
        let variant = last.variant.as_ref().map_or(0, |_| HAS_VARIANT);
        let error = last.error.map_or(0, |_| HAS_ERROR);
        last.reason as u32 | variant | error
    })
}

/// The variant served.
#[napi]
pub fn variant() -> Option<String> {
    LAST.with_borrow(|last| last.variant.clone())
}

/// Of the environment that answered.
#[napi]
pub fn version() -> Option<f64> {
    LAST.with_borrow(|last| last.version.map(number))
}

/// The error as OpenFeature spells it.
#[napi]
pub fn error() -> Option<&'static str> {
    LAST.with_borrow(|last| last.error.map(ErrorKind::as_str))
}

/// Versions count changes: they stay far below 2⁵³.
#[expect(clippy::cast_precision_loss, reason = "see above")]
pub(crate) const fn number(version: u64) -> f64 {
    version as f64
}
