//! Mail from a real process over encrypted connections, to servers whose certificate the system trusts.

use std::fs;

use harness::mail_server::{Identity, MailServer};
use harness::{Stack, eventually};

/// Registers somebody at a control plane that trusts `identity`, and waits for the mail about it.
async fn register(identity: &Identity, url: &str, server: &MailServer) {
    let folder = tempfile::tempdir().expect("a folder");
    let trusted = folder.path().join("trusted.pem");
    fs::write(&trusted, identity.certificate()).expect("a file");
    let trusted = trusted.to_str().expect("a plain path");
    let stack = Stack::start_with(&[("SMTP_URL", url), ("SSL_CERT_FILE", trusted)]).await;
    let owner = stack.signup("acme").await;
    let mail = eventually("the mail arrives", async || server.received().pop()).await;
    assert_eq!(mail.to, owner.email);
}

#[tokio::test]
async fn mail_leaves_over_an_upgraded_connection_after_sign_in() {
    let identity = Identity::new();
    let server = MailServer::start_with_encrypted_sign_in(&identity).await;
    let url = format!("smtp://halyard:secret@localhost:{}", server.address.port());
    register(&identity, &url, &server).await;
    assert_eq!(server.sign_ins(), ["halyard"]);
}

#[tokio::test]
async fn mail_leaves_over_a_connection_encrypted_from_the_start() {
    let identity = Identity::new();
    let server = MailServer::start_encrypted(&identity).await;
    let url = format!("smtps://localhost:{}", server.address.port());
    register(&identity, &url, &server).await;
}
