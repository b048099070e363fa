//! How refusals that several domains share are answered. What only one domain refuses is told beside its routes.

use serving::error::ApiError;

use crate::{input::Invalid, orgs::FeatureError, publish::version::DrawError};

/// 404: no project of the organization.
pub fn project_not_found() -> ApiError {
    ApiError::not_found("project not found")
}

/// 404: no environment of the organization, or of the project that the path names.
pub fn env_not_found() -> ApiError {
    ApiError::not_found("environment not found")
}

/// 404: no flag of the organization, or of the project that the path names.
pub fn flag_not_found() -> ApiError {
    ApiError::not_found("flag not found")
}

impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        Self::bad_request(invalid.into_message())
    }
}

impl From<FeatureError> for ApiError {
    fn from(error: FeatureError) -> Self {
        match error {
            FeatureError::Lacking(refusal) => Self::payment_required(refusal),
            FeatureError::Database(source) => source.into(),
        }
    }
}

impl From<DrawError> for ApiError {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::ProjectGone => project_not_found(),
            DrawError::TooLarge | DrawError::TooManyFlags | DrawError::TooManySegments => {
                Self::bad_request(error.to_string())
            }
            DrawError::Database(source) => source.into(),
        }
    }
}
