//! Details of a request's sender, for their list of sessions.

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{header::USER_AGENT, request::Parts},
};
use serving::{
    address::{ClientAddress, TrustedProxies},
    error::ApiError,
};

use domain::accounts::Device;

#[derive(Debug)]
pub struct FromDevice(pub Device);

impl<S> FromRequestParts<S> for FromDevice
where
    S: Send + Sync,
    TrustedProxies: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Ok(ClientAddress(ip)) = ClientAddress::from_request_parts(parts, state).await;
        let user_agent = parts.headers.get(USER_AGENT);
        let user_agent = user_agent.map(|text| String::from_utf8_lossy(text.as_bytes()));
        Ok(Self(Device::new(ip, user_agent.as_deref())))
    }
}
