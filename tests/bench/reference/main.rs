//! The reference server C: what an answer of HTTP costs at least. It parses a small JSON body and answers 121 bytes that never
//! change, with axum and the allocator of our own servers, built as they are. Benchmarks tell their figures as ratios to it.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::Value;
use serving::address_file;
use tokio::net::TcpListener;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ANSWER: &str = r#"{"flag_key":"new-checkout-flow","value":true,"reason":"TARGETED","variant_key":"","note":"an answer that never changes."}"#;
const _: () = assert!(ANSWER.len() == 121);

#[derive(Deserialize)]
struct Question {
    flag_key: String,
    context: Context,
}

#[derive(Deserialize)]
struct Context {
    key: String,
    #[serde(default)]
    attributes: BTreeMap<String, Value>,
}

async fn answer(Json(question): Json<Question>) -> impl IntoResponse {
    let Question { flag_key, context } = question;
    // Looked at, so that reading it cannot be left out.
    let length = flag_key.len() + context.key.len() + context.attributes.len();
    std::hint::black_box(length);
    ([(CONTENT_TYPE, "application/json")], ANSWER)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let listener = TcpListener::bind(env::var("REFERENCE_ADDR")?).await?;
    let address = listener.local_addr()?;
    address_file::write(Path::new(&env::var("ADDRESS_FILE")?), &[("http", address)])?;
    let router = Router::new().route("/v1/evaluate", post(answer));
    Ok(axum::serve(listener, router).await?)
}
