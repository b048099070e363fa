//! Details of a request's sender, for their list of sessions.

use axum::{
    extract::FromRequestParts,
    http::{header::USER_AGENT, request::Parts},
};
use serving::{address::ClientAddress, error::ApiError};

use crate::state::AppState;
use domain::accounts::Device;

#[derive(Debug)]
pub(crate) struct FromDevice(pub(crate) Device);

impl FromRequestParts<AppState> for FromDevice {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let ClientAddress(ip) = ClientAddress::of(parts, &state.trusted_proxies);
        let user_agent = parts.headers.get(USER_AGENT);
        let user_agent = user_agent.map(|text| String::from_utf8_lossy(text.as_bytes()));
        Ok(Self(Device::new(ip, user_agent.as_deref())))
    }
}
