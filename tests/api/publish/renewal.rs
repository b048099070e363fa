//! Edges renew their certificates: for their own name alone, when it is time, and never once they are revoked.

use std::net::UdpSocket;
use std::time::Duration;

use fanout::fingerprint;
use harness::{App, eventually};
use protocol::wire::message::{ControlMessage, EdgeMessage, EdgeStatus};
use publish::{
    edges::{
        self,
        model::{self, DEFAULT_LIFE, MAX_VALID},
        renew::{RenewError, Renewed, renew},
        store,
    },
    tls::Authority,
};
use rcgen::{CertificateParams, KeyPair};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use tokio_util::task::TaskTracker;

use super::peer::{Identity, Peer, hello};

/// A request that names whomever it likes.
pub fn request_of(name: &str, key: &KeyPair) -> Vec<u8> {
    let params = CertificateParams::new([name.to_owned()]).unwrap();
    params.serialize_request(key).unwrap().der().to_vec()
}

/// What an enrolled edge asks its control plane.
struct Asking<'a> {
    app: &'a App,
    authority: Authority,
    fingerprint: [u8; 32],
}

impl<'a> Asking<'a> {
    async fn of(app: &'a App, identity: &Identity) -> Self {
        let certificate =
            CertificateDer::from_pem_file(identity.folder().join("edge.pem")).unwrap();
        let authority = Authority::load(app.db(), &app.publish, app.clock.now())
            .await
            .unwrap();
        Self {
            app,
            authority,
            fingerprint: fingerprint(&certificate),
        }
    }

    async fn renew(&self) -> Result<Renewed, RenewError> {
        let key = KeyPair::generate().unwrap();
        self.send(&request_of("another-edge", &key)).await
    }

    async fn send(&self, request: &[u8]) -> Result<Renewed, RenewError> {
        let now = self.app.clock.now();
        let db = self.app.db();
        renew(db, &self.authority, &self.fingerprint, request, now).await
    }
}

/// Moves the clock to when this part of the time of a certificate that was just issued is over.
fn pass(app: &App, percent: u64) {
    let whole = DEFAULT_LIFE.whole_seconds().unsigned_abs();
    app.clock
        .advance(Duration::from_secs(whole * percent / 100));
}

#[tokio::test]
async fn a_renewed_certificate_is_of_the_same_edge_whatever_the_request_names() {
    let app = App::start().await;
    let identity = Identity::enroll(&app, "edge-1", Some("eu")).await;
    let asking = Asking::of(&app, &identity).await;
    pass(&app, 70);
    let renewed = asking.renew().await.unwrap();
    assert_eq!(renewed.edge.name, "edge-1");
    assert_eq!(renewed.edge.region.as_deref(), Some("eu"));
    assert_eq!(renewed.edge.renews, Some(asking.fingerprint.to_vec()));
    assert_eq!(renewed.edge.life(), DEFAULT_LIFE);
    let der = String::from_utf8_lossy(&renewed.certificate);
    assert!(der.contains("edge-1") && !der.contains("another-edge"));

    let listed = store::list(&mut app.pool().acquire().await.unwrap())
        .await
        .unwrap();
    let valid = listed
        .iter()
        .filter(|edge| edge.check(app.clock.now()).is_ok());
    assert_eq!(valid.count(), 2, "the old one stays valid");
}

#[tokio::test]
async fn a_certificate_is_not_renewed_before_half_of_its_time_is_over() {
    let app = App::start().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let asking = Asking::of(&app, &identity).await;
    pass(&app, 49);
    assert!(matches!(asking.renew().await, Err(RenewError::Early)));
    pass(&app, 2);
    asking.renew().await.unwrap();
}

#[tokio::test]
async fn an_edge_has_at_most_sixteen_valid_certificates() {
    let app = App::start().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let asking = Asking::of(&app, &identity).await;
    pass(&app, 70);
    for _ in 1..MAX_VALID {
        asking.renew().await.unwrap();
    }
    assert!(matches!(asking.renew().await, Err(RenewError::Many)));
}

#[tokio::test]
async fn what_is_no_request_is_refused_and_records_nothing() {
    let app = App::start().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let asking = Asking::of(&app, &identity).await;
    pass(&app, 70);
    for request in [&[][..], &[0xff; 300]] {
        let refused = asking.send(request).await;
        assert!(matches!(refused, Err(RenewError::Request(_))));
    }
    let listed = store::list(&mut app.pool().acquire().await.unwrap())
        .await
        .unwrap();
    assert_eq!(listed.len(), 1);
}

#[tokio::test]
async fn revoking_an_edge_revokes_what_it_renewed() {
    let app = App::start().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let asking = Asking::of(&app, &identity).await;
    pass(&app, 70);
    asking.renew().await.unwrap();
    let now = app.clock.now();
    assert!(edges::revoke(app.db(), "edge-1", now).await.unwrap());
    let listed = store::list(&mut app.pool().acquire().await.unwrap())
        .await
        .unwrap();
    assert!(listed.iter().all(|edge| edge.revoked_at.is_some()));
    let refused = asking.renew().await;
    assert!(matches!(
        refused,
        Err(RenewError::Refused(model::Refusal::Revoked))
    ));
    assert!(!edges::revoke(app.db(), "edge-1", now).await.unwrap());
    Identity::enroll(&app, "edge-1", None).await;
}

#[tokio::test]
async fn a_renewal_that_was_under_way_when_its_edge_was_revoked_is_revoked_too() {
    let app = App::start().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let asking = Asking::of(&app, &identity).await;
    pass(&app, 70);
    let now = app.clock.now();

    // A renewal that has locked the certificate, and has not committed yet.
    let mut renewing = app.pool().begin().await.unwrap();
    store::lock(&mut renewing, &asking.fingerprint)
        .await
        .unwrap()
        .unwrap();
    let revoking = edges::revoke(app.db(), "edge-1", now);
    let committing = async {
        app.until_waiting_for_locks(1).await;
        sqlx::query(
            "INSERT INTO edge_certificates (fingerprint, name, issued_at, expires_at, renews)
             VALUES (decode(repeat('ab', 32), 'hex'), 'edge-1', $1, $1 + interval '1 day', $2)",
        )
        .bind(now)
        .bind(asking.fingerprint.to_vec())
        .execute(&mut *renewing)
        .await
        .unwrap();
        renewing.commit().await.unwrap();
    };
    let (revoked, ()) = tokio::join!(revoking, committing);
    assert!(revoked.unwrap());
    let listed = store::list(&mut app.pool().acquire().await.unwrap())
        .await
        .unwrap();
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|edge| edge.revoked_at.is_some()));
}

#[tokio::test]
async fn an_edge_goes_on_with_what_it_renewed_over_the_link_when_the_old_one_has_ended() {
    let app = App::start().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    pass(&app, 70);
    let mut edge = identity.join(app.serve_edges().await, hello()).await;
    let key = KeyPair::generate().unwrap();
    edge.say(EdgeMessage::Renew {
        request: 3,
        certificate_request: request_of("edge-2", &key),
    })
    .await;
    let ControlMessage::Renewed {
        request: 3,
        certificate,
    } = edge.hear().await
    else {
        panic!("not renewed")
    };
    edge.say(EdgeMessage::Renew {
        request: 4,
        certificate_request: vec![1, 2, 3],
    })
    .await;
    let refused = ControlMessage::NotRenewed {
        request: 4,
        reason: "the certificate request cannot be read, or its signature is wrong".to_owned(),
    };
    assert_eq!(edge.hear().await, refused);
    drop(edge);

    pass(&app, 40);
    let other = app.another_publisher();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = other
        .serve_edges(socket, &app.publish, &app.stop, &TaskTracker::new())
        .await
        .unwrap();
    // A new replica takes no connections before it has looked into the database.
    let ended = eventually("the handshake succeeds", async || {
        identity.connect(address).await.ok()
    });
    ended.await.closed().await;
    identity.replace(&certificate, &key);
    let edge = identity.join(address, hello()).await;
    assert_eq!(edge.welcome.name, "edge-1");
}

#[tokio::test]
async fn an_edge_that_asks_all_the_time_is_answered_once_a_second() {
    let app = App::start().await;
    let mut edge = Peer::enroll(&app, "edge-1", app.serve_edges().await, hello()).await;
    let renew = |request| EdgeMessage::Renew {
        request,
        certificate_request: Vec::new(),
    };
    edge.say(renew(0)).await;
    edge.hear().await;
    for request in 1..=10 {
        edge.say(renew(request)).await;
    }
    let ControlMessage::NotRenewed { request: 1, .. } = edge.hear().await else {
        panic!("the first of them waits for its turn")
    };
    let status = EdgeStatus::default();
    edge.say(EdgeMessage::Heartbeat { number: 1, status }).await;
    let mut answered = 1;
    while let ControlMessage::NotRenewed { .. } = edge.hear().await {
        answered += 1;
    }
    assert!(answered <= 2, "{answered} of ten, in a second");
}
