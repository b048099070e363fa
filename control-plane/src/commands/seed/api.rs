//! The management API, called in process.

use std::net::SocketAddr;

use anyhow::{Context, bail};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{Method, Request, StatusCode, header},
};
use serde_json::Value;
use tower::ServiceExt;

const MAX_ANSWER: usize = 4 * 1024 * 1024;

/// A caller of the router.
pub(super) struct Api {
    router: Router,
    authorization: Option<String>,
}

impl Api {
    pub(super) const fn new(router: Router) -> Self {
        Self {
            router,
            authorization: None,
        }
    }

    /// Calls with this access token from now on.
    pub(super) fn authorize(&mut self, token: String) {
        self.authorization = Some(format!("Bearer {token}"));
    }

    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.succeed(Method::GET, path, None).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        self.succeed(Method::POST, path, Some(body)).await
    }

    pub(super) async fn put(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        self.succeed(Method::PUT, path, Some(body)).await
    }

    /// Creates something; `false` when it is there already.
    pub(super) async fn create(&self, path: &str, body: Value) -> anyhow::Result<bool> {
        match self.call(Method::POST, path, Some(body)).await? {
            (StatusCode::CONFLICT, _) => Ok(false),
            (status, _) if status.is_success() => Ok(true),
            (status, answer) => bail!("POST {path} answered {status}: {answer}"),
        }
    }

    async fn succeed(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<Value> {
        match self.call(method.clone(), path, body).await? {
            (status, answer) if status.is_success() => Ok(answer),
            (status, answer) => bail!("{method} {path} answered {status}: {answer}"),
        }
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<(StatusCode, Value)> {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let mut request = match body {
            Some(body) => request
                .header(header::CONTENT_TYPE, "application/json")
                .body(Body::from(body.to_string()))?,
            None => request.body(Body::empty())?,
        };
        // What the listener would say: the caller is this machine.
        request
            .extensions_mut()
            .insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 0))));

        let answer = self.router.clone().oneshot(request).await?;
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), MAX_ANSWER).await?;
        let body = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).with_context(|| format!("{path} answered no JSON"))?
        };
        Ok((status, body))
    }
}
