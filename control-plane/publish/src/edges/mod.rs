//! Enrolled edges: issuing, renewing and revoking their certificates, and the contents of connected ones.

pub mod fleet;
pub mod model;
pub mod operated;
pub mod renew;
pub mod start;
pub mod store;

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use protocol::{
    signature::SIGNER_NAME,
    wire::relay::{self, is_edge_name},
};
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use self::model::{EdgeCertificate, Subject};
use crate::tls::{Authority, AuthorityError, EdgeIdentity};
use base::{
    db::{self, Db, Tx},
    operator::{self, model::Act},
    refusal::Refusal,
};

/// Why an edge was not enrolled.
#[derive(Debug, thiserror::Error)]
pub enum EnrollError {
    #[error(
        "a name has 1 to 63 letters, digits, dots and hyphens, and begins and ends with a letter or digit"
    )]
    Name,
    #[error(
        "the names of control planes (CONTROL_QUIC_NAME), relays ({}) and keys that sign ({}) are not for a single edge",
        relay::SERVER_NAME,
        SIGNER_NAME
    )]
    ServerName,
    #[error(transparent)]
    Insert(#[from] Refusal),
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    #[error("cannot write {file}")]
    File {
        file: &'static str,
        #[source]
        source: io::Error,
    },
}

impl From<EnrollError> for Refusal {
    fn from(error: EnrollError) -> Self {
        match error {
            EnrollError::Name | EnrollError::ServerName => Self::invalid(format!("name: {error}")),
            EnrollError::Insert(refusal) => refusal,
            EnrollError::Database(error) => error.into(),
            EnrollError::Authority(_) | EnrollError::File { .. } => Self::Fault(error.into()),
        }
    }
}

/// The properties of an edge to enroll.
#[derive(Clone, Copy, Debug)]
pub struct Enrolment<'a> {
    pub name: &'a str,
    /// The data region whose organizations it may hold; `None` for all.
    pub region: Option<&'a str>,
    /// Validity of its certificates.
    pub life: Duration,
    pub is_relay: bool,
}

/// An edge that was just enrolled, with its key, which is stored nowhere.
pub struct Enrolled {
    pub edge: EdgeCertificate,
    pub identity: EdgeIdentity,
}

/// Enrolls an edge: records its certificate, and writes `ca.pem`, `edge.pem` and `edge.key` (mode 0600) into `folder`,
/// which is created if it does not exist. Files with these names are never overwritten.
///
/// # Errors
/// If anything fails, no edge is enrolled.
pub async fn enroll(
    db: &Db,
    authority: &Authority,
    enrolment: Enrolment<'_>,
    folder: &Path,
    now: OffsetDateTime,
) -> Result<EdgeCertificate, EnrollError> {
    let mut tx = db.begin().await?;
    let Enrolled { edge, identity } = issue(&mut tx, authority, enrolment, None, now).await?;
    // Before the commit: an edge whose files cannot be written is not enrolled.
    write_identity(folder, authority, &identity)?;
    tx.commit().await?;
    Ok(edge)
}

/// Enrolls an edge in a transaction, and records by which account if it is not an operator with access to the database.
///
/// # Errors
/// If anything fails, the transaction must be rolled back.
pub async fn issue(
    conn: &mut PgConnection,
    authority: &Authority,
    enrolment: Enrolment<'_>,
    account: Option<&str>,
    now: OffsetDateTime,
) -> Result<Enrolled, EnrollError> {
    let Enrolment {
        name,
        region,
        life,
        is_relay,
    } = enrolment;
    if !is_edge_name(name) {
        return Err(EnrollError::Name);
    }
    if authority.is_server_name(name) {
        return Err(EnrollError::ServerName);
    }
    let identity = authority.issue_edge(Subject { name, is_relay }, now, life)?;
    let edge = EdgeCertificate {
        fingerprint: identity.fingerprint.to_vec(),
        name: name.to_owned(),
        region: region.map(str::to_owned),
        issued_at: now,
        expires_at: identity.expires_at,
        last_seen_at: None,
        revoked_at: None,
        renews: None,
        is_relay,
    };
    store::insert(conn, &edge).await?;
    let mut details = json!({
        "region": edge.region,
        "is_relay": edge.is_relay,
        "expires_at": operator::date(edge.expires_at),
    });
    note_account(&mut details, account);
    operator::store::record(conn, Act::EdgeEnrolled, name, details, now).await?;
    Ok(Enrolled { edge, identity })
}

fn note_account(details: &mut Value, account: Option<&str>) {
    if let Some(account) = account {
        details["account"] = account.into();
    }
}

/// Revokes all certificates of an edge. Replicas close its link within seconds. False if no such edge exists.
pub async fn revoke(db: &Db, name: &str, now: OffsetDateTime) -> db::Result<bool> {
    let mut tx = db.begin().await?;
    let is_revoked = withdraw(&mut tx, name, None, now).await?;
    tx.commit().await?;
    Ok(is_revoked)
}

/// The same in a transaction, with the account that does it.
pub async fn withdraw(
    tx: &mut Tx,
    name: &str,
    account: Option<&str>,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let revoked = store::revoke(tx, name, now).await?;
    if revoked > 0 {
        let mut details = json!({"certificates": revoked});
        note_account(&mut details, account);
        operator::store::record(tx, Act::EdgeRevoked, name, details, now).await?;
        tx.announce();
    }
    Ok(revoked > 0)
}

fn write_identity(
    folder: &Path,
    authority: &Authority,
    identity: &EdgeIdentity,
) -> Result<(), EnrollError> {
    let write = |file: &'static str, mode: u32, text: &str| {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(folder.join(file))
            .and_then(|mut opened| opened.write_all(text.as_bytes()))
            .map_err(|source| EnrollError::File { file, source })
    };
    fs::create_dir_all(folder).map_err(|source| EnrollError::File {
        file: "the folder",
        source,
    })?;
    write("edge.key", 0o600, &identity.key_pem)?;
    write("edge.pem", 0o644, &identity.certificate_pem)?;
    write("ca.pem", 0o644, authority.certificate_pem())
}
