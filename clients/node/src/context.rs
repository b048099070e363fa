//! Whom a flag is evaluated for.

use halyard::Context;
use napi_derive::napi;

/// A context that serves any number of evaluations.
#[napi]
pub struct NativeContext(pub(crate) Context);

#[napi]
impl NativeContext {
    /// From JSON in the form of the API, as `JSON.stringify` writes it.
    ///
    /// # Errors
    /// When it is not of that form.
    #[napi(constructor)]
    pub fn new(json: String) -> napi::Result<Self> {
        let context = serde_json::from_str(&json);
        context.map(Self).map_err(|why| {
            let why = format!("this is not a context: {why}");
            napi::Error::new(napi::Status::InvalidArg, why)
        })
    }
}
