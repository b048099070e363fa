//! How refusals that several domains share are answered. What only one domain refuses is told beside its routes.

use serving::error::ApiError;

use crate::{input::Invalid, publish::version::DrawError};

impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        Self::bad_request(invalid.into_message())
    }
}

impl From<DrawError> for ApiError {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::ProjectGone => Self::not_found("project not found"),
            DrawError::TooLarge | DrawError::TooManyFlags | DrawError::TooManySegments => {
                Self::bad_request(error.to_string())
            }
            DrawError::Database(source) => source.into(),
        }
    }
}
