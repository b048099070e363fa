//! How refusals that several domains share are answered. What only one domain refuses is told beside its routes.

use serving::error::ApiError;

use crate::{
    db::WriteError,
    input::Invalid,
    orgs::{AllowanceError, FeatureError},
    publish::version::DrawError,
};

macro_rules! not_found {
    ($($name:ident = $words:literal;)+) => {$(
        #[doc = concat!("404: ", $words, ", in the organization or in what the path names.")]
        pub fn $name() -> ApiError {
            ApiError::not_found($words)
        }
    )+};
}

not_found! {
    project_not_found = "project not found";
    env_not_found = "environment not found";
    flag_not_found = "flag not found";
    segment_not_found = "segment not found";
    member_not_found = "member not found";
    role_not_found = "role not found";
    api_key_not_found = "api key not found";
    approval_not_found = "approval request not found";
}

impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        Self::bad_request(invalid.into_message())
    }
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Conflict(words) => Self::conflict(words),
            WriteError::Database(source) => source.into(),
        }
    }
}

impl From<AllowanceError> for ApiError {
    fn from(error: AllowanceError) -> Self {
        match error {
            AllowanceError::Bound(words) => Self::bad_request(words),
            AllowanceError::Plan(words) => Self::payment_required(words),
        }
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
            DrawError::TooLarge | DrawError::TooManyFlags | DrawError::TooManySegments => {
                Self::bad_request(error.to_string())
            }
            DrawError::Database(source) => source.into(),
        }
    }
}
