//! `halyard health`: a probe for containers that have no other client.

use std::{net::SocketAddr, time::Duration};

use anyhow::{Context, bail};
use serving::settings::{Environment, Reader};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

const PATIENCE: Duration = Duration::from_secs(5);

/// Succeeds when `/ready` on the admin address answers 200.
pub(super) async fn run() -> anyhow::Result<()> {
    let mut reader = Reader::new(&Environment);
    let addr = reader.parse(
        "CONTROL_ADMIN_ADDR",
        SocketAddr::from(([127, 0, 0, 1], 9090)),
    );
    reader.finish()?;
    let head = timeout(PATIENCE, ask(addr))
        .await
        .with_context(|| format!("{addr} did not answer in time"))??;
    if head.starts_with("HTTP/1.1 200 ") {
        Ok(())
    } else {
        bail!("not ready: {}", head.lines().next().unwrap_or_default());
    }
}

async fn ask(addr: SocketAddr) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect(addr)
        .await
        .with_context(|| format!("connecting to {addr}"))?;
    let request = format!("GET /ready HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.take(64 * 1024).read_to_string(&mut answer).await?;
    Ok(answer)
}
