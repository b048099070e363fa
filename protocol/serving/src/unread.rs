//! Members of a body that the type which is read of it does not have: they are ignored, unless somebody listens.
//!
//! Whoever wants to hear of them puts an [`Unread`] into the extensions of the request.

use std::{fmt, sync::Arc};

use crate::{error::ApiError, place::Place};

/// Hears of members that nothing reads, one after the other.
pub trait Listener: Send + Sync {
    /// A body is about to be read. An error refuses it unread.
    fn begin(&self) -> Result<(), ApiError> {
        Ok(())
    }

    /// Hears of one. An error refuses the body, and is the last that is heard of it.
    fn hear(&self, place: Place) -> Result<(), ApiError>;

    /// The body was read, and is of the expected type. An error refuses it.
    fn end(&self) -> Result<(), ApiError> {
        Ok(())
    }
}

/// Who listens to the body of a request.
#[derive(Clone)]
pub struct Unread(Arc<dyn Listener>);

impl Unread {
    /// Has somebody listen.
    pub fn heard_by(listener: Arc<dyn Listener>) -> Self {
        Self(listener)
    }

    pub(crate) fn begin(&self) -> Result<(), ApiError> {
        self.0.begin()
    }

    pub(crate) fn hear(&self, place: Place) -> Result<(), ApiError> {
        self.0.hear(place)
    }

    pub(crate) fn end(&self) -> Result<(), ApiError> {
        self.0.end()
    }
}

impl fmt::Debug for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unread")
    }
}
