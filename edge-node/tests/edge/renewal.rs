//! The edge renews its certificate over the link when it is time, by the clock of the control plane, which shows a moment in
//! January 2027.

use std::{fs, time::Duration};

use protocol::wire::message::{ControlMessage, EdgeMessage, Push};
use rcgen::{CertificateParams, PKCS_ECDSA_P256_SHA256, PublicKeyData, SignatureAlgorithm};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use tempfile::TempDir;
use time::{OffsetDateTime, macros::datetime};
use tokio::time::{Instant, sleep};
use x509_parser::{certification_request::X509CertificationRequest, prelude::FromDer};

use crate::{
    peer::{Authority, Link, Peer, Process, SLOW, cut},
    support::*,
};

/// All of them begin then, since TLS goes by the clock of the machine, whatever that shows.
const BEGIN: OffsetDateTime = datetime!(1975-01-01 0:00 UTC);
/// Thirteen years later than that moment: less than a quarter of the time.
const DUE: OffsetDateTime = datetime!(2040-01-01 0:00 UTC);
const NEXT: OffsetDateTime = datetime!(2060-01-01 0:00 UTC);

fn valid_until(until: OffsetDateTime) -> CertificateParams {
    let mut params = CertificateParams::new(["edge-1".to_owned()]).unwrap();
    params.not_before = BEGIN;
    params.not_after = until;
    params
}

struct Requested(Vec<u8>);

impl PublicKeyData for Requested {
    fn der_bytes(&self) -> &[u8] {
        &self.0
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ECDSA_P256_SHA256
    }
}

/// An edge that is connected with a certificate that ends then.
struct Scene {
    authority: Authority,
    peer: Peer,
    folder: TempDir,
    process: Process,
    link: Link,
}

impl Scene {
    async fn start(until: OffsetDateTime, prepare: impl FnOnce(&TempDir)) -> Self {
        let authority = Authority::new();
        let folder = TempDir::new().unwrap();
        authority.enroll_as(folder.path(), &valid_until(until));
        prepare(&folder);
        let peer = Peer::new(&authority, &authority);
        let process = Process::start(&folder, peer.address()).await;
        let (link, _) = peer.greet(Vec::new(), SLOW).await;
        Self {
            authority,
            peer,
            folder,
            process,
            link,
        }
    }

    /// The number of the next message, which is a request, and the key it is for.
    async fn requested(&mut self) -> (u64, Requested) {
        match self.link.next().await {
            EdgeMessage::Renew {
                request,
                certificate_request,
            } => {
                let (_, parsed) = X509CertificationRequest::from_der(&certificate_request).unwrap();
                let info = &parsed.certification_request_info;
                let key = info.subject_pki.subject_public_key.data.to_vec();
                (request, Requested(key))
            }
            other => panic!("{other:?}"),
        }
    }

    async fn answer(&mut self, request: u64, certificate: &rcgen::Certificate) {
        let certificate = certificate.der().to_vec();
        let renewed = ControlMessage::Renewed {
            request,
            certificate,
        };
        self.link.send(&renewed).await;
    }

    /// Proves that the next thing the edge says is not about certificates.
    async fn goes_on(&mut self) {
        self.link.push(&Push::Removed { env_id: env_id(9) }).await;
        let said = self.link.next().await;
        assert!(matches!(said, EdgeMessage::Ack { .. }), "{said:?}");
    }
}

fn certificate(folder: &TempDir) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(folder.path().join("edge.pem")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_connects_again_with_the_certificate_that_it_renewed() {
    let mut scene = Scene::start(DUE, |_| {}).await;
    let (request, key) = scene.requested().await;
    let renewed = scene.authority.sign(&valid_until(NEXT), &key);
    scene.answer(request, &renewed).await;
    let begun = Instant::now();
    while certificate(&scene.folder) != *renewed.der()
        || scene.folder.path().join("edge.next.pem").exists()
    {
        assert!(begun.elapsed() < PATIENCE, "the files are not replaced");
        sleep(Duration::from_millis(10)).await;
    }
    // It leaves the link that it has when there is another one.
    scene.goes_on().await;
    assert!(scene.link.connection.close_reason().is_none());
    let connection = scene.peer.connection().await.unwrap();
    let shown = connection.peer_identity().unwrap();
    let shown = shown.downcast::<Vec<CertificateDer<'_>>>().unwrap();
    assert_eq!(shown[0], *renewed.der());
    scene.link.connection.closed().await;
    scene.process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_with_another_certificate_does_not_say_that_it_has_expired() {
    let scene = Scene::start(NEXT, |_| {}).await;
    scene.process.is_greeted().await;
    // As the control plane does that goes by the end of a certificate before this one.
    scene.link.connection.close(3_u32.into(), b"expired");
    scene
        .process
        .eventually("/ready", "\"connected\":false")
        .await;
    let ready = scene.process.get("/ready").await;
    assert!(ready.contains("\"link\":\"none\""), "{ready}");
    let _link = scene.peer.greet(Vec::new(), SLOW).await;
    scene
        .process
        .eventually("/ready", "\"link\":\"connected\"")
        .await;
    scene.process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_is_valid_for_long_is_left_alone() {
    let mut scene = Scene::start(NEXT, |_| {}).await;
    scene.goes_on().await;
    scene.process.stop().await;
}

/// What an authority answers to a request.
type Issue = fn(&Authority, Requested) -> Result<rcgen::Certificate, ()>;

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_whose_renewal_fails_goes_on_with_what_it_has() {
    let refused: [Issue; 3] = [
        |_, _| Err(()),
        // Of a key that is not the edge's.
        |authority, _| {
            let key = rcgen::KeyPair::generate().unwrap();
            Ok(authority.sign(&valid_until(NEXT), &key))
        },
        // Ends no later.
        |authority, key| Ok(authority.sign(&valid_until(DUE), &key)),
    ];
    for answer in refused {
        let mut scene = Scene::start(DUE, |_| {}).await;
        let before = certificate(&scene.folder);
        let (request, key) = scene.requested().await;
        match answer(&scene.authority, key) {
            Ok(certificate) => scene.answer(request, &certificate).await,
            Err(()) => {
                let reason = "not now".to_owned();
                let refusal = ControlMessage::NotRenewed { request, reason };
                scene.link.send(&refusal).await;
            }
        }
        scene.goes_on().await;
        // A link that is lost does not make it ask more often.
        cut(&scene.link);
        (scene.link, _) = scene.peer.greet(Vec::new(), SLOW).await;
        scene.goes_on().await;
        scene.process.stop().await;
        assert_eq!(certificate(&scene.folder), before);
        assert!(!scene.folder.path().join("edge.next.pem").exists());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_that_cannot_write_to_its_folder_asks_for_nothing() {
    let mut scene = Scene::start(DUE, |folder| {
        fs::create_dir_all(folder.path().join("edge.next.draft/in-the-way")).unwrap();
    })
    .await;
    scene.goes_on().await;
    cut(&scene.link);
    (scene.link, _) = scene.peer.greet(Vec::new(), SLOW).await;
    scene.goes_on().await;
    scene.process.stop().await;
}
