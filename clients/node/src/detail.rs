//! Answers, and why they were given.

use halyard::{Detail, ErrorKind};
use napi::bindgen_prelude::Either3;
use napi_derive::napi;

/// An answer.
#[napi(object, object_from_js = false)]
pub struct NativeDetail {
    /// What the flag says, JSON as text. Absent where the default of the caller is the answer.
    pub value: Option<Either3<bool, f64, String>>,
    /// As the protocol spells it.
    pub reason: String,
    /// The variant served.
    pub variant: Option<String>,
    /// Of the environment that answered.
    pub version: Option<f64>,
    /// As OpenFeature spells it.
    pub error: Option<String>,
}

impl NativeDetail {
    pub(crate) fn new<T>(
        detail: Detail<T>,
        value: impl FnOnce(T) -> Either3<bool, f64, String>,
    ) -> Self {
        let is_answered = matches!(detail.error, None | Some(ErrorKind::General));
        Self {
            value: is_answered.then(|| value(detail.value)),
            reason: detail.reason.as_str().to_owned(),
            variant: detail.variant,
            version: detail.version.map(number),
            error: detail.error.map(|error| error.as_str().to_owned()),
        }
    }
}

/// Versions count changes: they stay far below 2⁵³.
#[expect(clippy::cast_precision_loss, reason = "see above")]
pub(crate) const fn number(version: u64) -> f64 {
    version as f64
}
