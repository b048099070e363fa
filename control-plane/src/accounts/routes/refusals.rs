//! How refusals and faults shared by several endpoints of accounts are answered.

use std::time::Duration;

use serving::error::ApiError;

use crate::accounts::{FoundError, SessionError, store::sent_codes::CountError};

pub(super) fn no_more_codes(retry_after: Duration) -> ApiError {
    ApiError::too_many(
        "too many wrong codes, please ask for another code",
        retry_after,
    )
}

impl From<CountError> for ApiError {
    fn from(error: CountError) -> Self {
        match error {
            CountError::UsedUp { retry_after } => Self::too_many(
                "too many codes sent to this address, please try again later",
                retry_after,
            ),
            CountError::Database(source) => source.into(),
        }
    }
}

impl From<FoundError> for ApiError {
    fn from(error: FoundError) -> Self {
        Self::internal(error)
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        Self::internal(error)
    }
}
