//! `halyard health`: a probe for containers that have no other client.

use std::net::SocketAddr;

use serving::{
    admin,
    settings::{ProcessVariables, Reader},
};

/// Succeeds when `/ready` on the admin address answers 200.
pub(super) async fn run() -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let address = reader.parse(
        "CONTROL_ADMIN_ADDR",
        SocketAddr::from(([127, 0, 0, 1], 9090)),
    );
    reader.finish()?;
    Ok(admin::probe(address, "/ready").await?)
}
