//! What the certificates of edges and relays are good for, judged as the other end of a link does.

use std::sync::Arc;
use std::time::Duration;

use base::operator::store;
use control_plane::edges::{self as commands, EdgeCommand, Installation};
use fanout::fingerprint;
use harness::App;
use protocol::signature::SIGNER_NAME;
use protocol::wire::relay::SERVER_NAME;
use publish::{
    edges::{self, EnrollError, Enrolment, model::DEFAULT_LIFE, renew::renew},
    tls::Authority,
};
use rcgen::KeyPair;
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::server::WebPkiClientVerifier;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use serde_json::json;

use super::peer::Identity;
use super::renewal::request_of;

const fn named(name: &str, is_relay: bool) -> Enrolment<'_> {
    Enrolment {
        name,
        region: None,
        life: DEFAULT_LIFE,
        is_relay,
    }
}

async fn authority(app: &App) -> Authority {
    let now = app.clock.now();
    Authority::load(app.db(), &app.publish, now).await.unwrap()
}

fn certificate_of(identity: &Identity) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(identity.folder().join("edge.pem")).unwrap()
}

/// Judges certificates at the time of the service.
struct Judge<'a> {
    app: &'a App,
    roots: Arc<RootCertStore>,
}

impl<'a> Judge<'a> {
    fn of(app: &'a App, authority: &Authority) -> Self {
        let root = CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes());
        let mut roots = RootCertStore::empty();
        roots.add(root.unwrap()).unwrap();
        Self {
            app,
            roots: Arc::new(roots),
        }
    }

    fn now(&self) -> UnixTime {
        let seconds = self.app.clock.now().unix_timestamp().unsigned_abs();
        UnixTime::since_unix_epoch(Duration::from_secs(seconds))
    }

    /// Those of the names for which it is accepted as a server.
    fn serves<'n>(&self, certificate: &CertificateDer<'_>, names: &[&'n str]) -> Vec<&'n str> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let roots = Arc::clone(&self.roots);
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider)
            .build()
            .unwrap();
        let serves = |name: &&str| {
            let name = ServerName::try_from(*name).unwrap();
            let judged = verifier.verify_server_cert(certificate, &[], &name, &[], self.now());
            judged.is_ok()
        };
        names.iter().copied().filter(serves).collect()
    }

    fn is_client(&self, certificate: &CertificateDer<'_>) -> bool {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let roots = Arc::clone(&self.roots);
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider)
            .build()
            .unwrap();
        let judged = verifier.verify_client_cert(certificate, &[], self.now());
        judged.is_ok()
    }
}

#[tokio::test]
async fn a_relay_is_a_client_and_a_server_by_its_own_name_and_that_of_all_relays() {
    let app = App::start().await;
    let judge = Judge::of(&app, &authority(&app).await);
    let relay = Identity::enroll_as(&app, named("relay-1", true)).await;
    let certificate = certificate_of(&relay);
    assert!(judge.is_client(&certificate));
    let names = ["relay-1", SERVER_NAME, "relay-2", "halyard-control"];
    assert_eq!(judge.serves(&certificate, &names), ["relay-1", SERVER_NAME]);
}

#[tokio::test]
async fn an_edge_is_a_client_and_no_server_under_any_name() {
    let app = App::start().await;
    let judge = Judge::of(&app, &authority(&app).await);
    let edge = Identity::enroll_as(&app, named("edge-1", false)).await;
    let certificate = certificate_of(&edge);
    assert!(judge.is_client(&certificate));
    let names = ["edge-1", SERVER_NAME, "halyard-control"];
    assert!(judge.serves(&certificate, &names).is_empty());
}

#[tokio::test]
async fn what_renews_a_certificate_is_for_a_relay_if_that_was() {
    let app = App::start().await;
    let authority = authority(&app).await;
    let judge = Judge::of(&app, &authority);
    let relay = Identity::enroll_as(&app, named("relay-1", true)).await;
    let edge = Identity::enroll_as(&app, named("edge-1", false)).await;
    let whole = DEFAULT_LIFE.whole_seconds().unsigned_abs();
    app.clock.advance(Duration::from_secs(whole * 7 / 10));

    let now = app.clock.now();
    let renewed = async |identity: &Identity| {
        // The request names all relays, which is of no use.
        let request = request_of(SERVER_NAME, &KeyPair::generate().unwrap());
        let old = fingerprint(&certificate_of(identity));
        let renewed = renew(app.db(), &authority, &old, &request, now).await;
        renewed.unwrap()
    };
    let names = ["relay-1", "edge-1", SERVER_NAME];
    let relay = renewed(&relay).await;
    assert!(relay.edge.is_relay && judge.is_client(&relay.certificate));
    assert_eq!(
        judge.serves(&relay.certificate, &names),
        ["relay-1", SERVER_NAME]
    );
    let edge = renewed(&edge).await;
    assert!(!edge.edge.is_relay && judge.is_client(&edge.certificate));
    assert!(judge.serves(&edge.certificate, &names).is_empty());

    let mut conn = app.pool().acquire().await.unwrap();
    let listed = edges::store::list(&mut conn).await.unwrap();
    let kinds = listed.iter().map(|edge| (&*edge.name, edge.is_relay));
    let expected = [
        ("edge-1", false),
        ("edge-1", false),
        ("relay-1", true),
        ("relay-1", true),
    ];
    assert!(kinds.eq(expected), "{listed:?}");
}

#[tokio::test]
async fn nobody_is_enrolled_under_the_name_of_relays_or_of_control_planes() {
    let app = App::start().await;
    let authority = authority(&app).await;
    let folder = tempfile::tempdir().unwrap();
    let names = [
        SERVER_NAME,
        "Halyard-RELAY",
        "halyard-control",
        "HALYARD-control",
        SIGNER_NAME,
        "halyard-SIGNER",
    ];
    let kinds = names.map(|name| [named(name, false), named(name, true)]);
    for enrolment in kinds.concat() {
        let now = app.clock.now();
        let enrolled = edges::enroll(app.db(), &authority, enrolment, folder.path(), now).await;
        let refused = enrolled.unwrap_err();
        assert!(matches!(refused, EnrollError::ServerName), "{enrolment:?}");
        assert_eq!(
            refused.to_string(),
            "the names of control planes (CONTROL_QUIC_NAME), relays (halyard-relay) and keys that sign (halyard-signer) are not for a single edge"
        );
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);

    let mut settings = app.publish.clone();
    settings.quic_name = "control.example".to_owned();
    let now = app.clock.now();
    let authority = Authority::load(app.db(), &settings, now).await.unwrap();
    assert!(authority.is_server_name("control.example"));
    assert!(!authority.is_server_name("halyard-control"));
}

#[tokio::test]
async fn what_operators_did_is_kept_up_to_a_bound() {
    let app = App::start().await;
    let now = app.clock.now();
    let mut conn = app.pool().acquire().await.unwrap();
    sqlx::query(
        "INSERT INTO operator_events (at, action, subject, details, database_user)
         SELECT $1, 'edge.enrolled', 'old-' || number, '{}', 'somebody'
         FROM generate_series(1, 10000) AS number",
    )
    .bind(now)
    .execute(&mut *conn)
    .await
    .unwrap();
    let _edge = Identity::enroll(&app, "edge-1", None).await;
    assert!(edges::revoke(app.db(), "edge-1", now).await.unwrap());

    let all = store::list(&mut conn, None, 20_000).await.unwrap();
    assert_eq!(all.len(), 10_000);
    assert_eq!(all[0].subject, "old-3");
    let of_edge = store::list(&mut conn, Some("edge-1"), 10).await.unwrap();
    let told = of_edge.iter().map(|event| (&*event.action, event.at));
    assert!(told.eq([("edge.enrolled", now), ("edge.revoked", now)]));
    let user: String = sqlx::query_scalar("SELECT session_user::text")
        .fetch_one(&mut *conn)
        .await
        .unwrap();
    assert_eq!(of_edge[1].database_user, user);
    assert_eq!(of_edge[1].details, json!({"certificates": 1}));
    let newest = store::list(&mut conn, None, 1).await.unwrap();
    assert_eq!(newest[0].action, "edge.revoked");
}

#[tokio::test]
async fn an_edge_that_could_not_be_enrolled_is_in_no_history() {
    let app = App::start().await;
    let authority = authority(&app).await;
    let now = app.clock.now();
    let file = tempfile::NamedTempFile::new().unwrap();
    let enrolled = edges::enroll(
        app.db(),
        &authority,
        named("edge-1", false),
        file.path(),
        now,
    );
    let refused = enrolled.await.unwrap_err();
    assert!(matches!(refused, EnrollError::File { .. }), "{refused}");
    assert!(!edges::revoke(app.db(), "edge-1", now).await.unwrap());
    let mut conn = app.pool().acquire().await.unwrap();
    let events = store::list(&mut conn, None, 10).await.unwrap();
    assert!(events.is_empty(), "{events:?}");
}

#[tokio::test]
async fn an_edge_is_enrolled_for_a_known_region_only() {
    let app = App::start().await;
    let folder = tempfile::tempdir().unwrap();
    let regions = ["us", "eu"].map(str::to_owned);
    let enroll = async |region: &str| {
        let command = EdgeCommand::Enroll {
            name: format!("edge-{region}"),
            region: Some(region.to_owned()),
            valid_for: time::Duration::days(1),
            relay: false,
            unless_enrolled: false,
            out: folder.path().join(region),
        };
        let installation = Installation {
            settings: &app.publish,
            regions: &regions,
            link: ([127, 0, 0, 1], 8443).into(),
            program: "halyard-edge",
        };
        let enrolled = commands::run(command, app.db(), installation, &app.clock).await;
        enrolled.map_err(|error| error.to_string())
    };
    let refused = enroll("moon").await.unwrap_err();
    assert_eq!(refused, "unknown region moon: DATA_REGIONS names us, eu");
    assert!(!folder.path().join("moon").exists());
    assert!(
        enroll("eu")
            .await
            .unwrap()
            .starts_with("enrolled edge-eu until ")
    );
}
