//! Replaces `APP_SECRET`: opens all sealed data with the old secret and seals it with the new one.
//!
//! Each batch is a transaction, and finished rows are recognised, so that an interrupted run is simply repeated. No control plane
//! may run meanwhile: it could not open finished rows, and would seal more with the old secret.

use secrecy::{ExposeSecret, SecretString};
use sqlx::PgConnection;
use uuid::Uuid;

use base::{
    db::{self, Db},
    mail,
    replicas::Replicas,
    sealing::{OpenError, Sealed, Sealer, derive, purpose},
};
use domain::{mfa, sign_in, webhooks};
use publish::{signing, tls};

/// Rows per transaction.
const BATCH: i64 = 500;

/// A kind of sealed data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    LinkAuthority,
    SigningKeys,
    BackupCodeKey,
    Authenticators,
    Webhooks,
    SignInProviders,
    Mail,
}

/// The results of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Opened with the old secret.
    pub by_old: u64,
    /// Opened with the new one: an earlier run sealed it.
    pub by_new: u64,
    /// Opened with neither, and left unchanged.
    pub by_neither: u64,
}

/// Why a rotation failed or is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum RotateError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("{}", running(*.0))]
    Running(usize),
    #[error("APP_SECRET_OLD opens nothing of what is sealed ({0}): nothing was changed")]
    WrongSecret(u64),
}

fn running(count: usize) -> String {
    match count {
        1 => "a control plane runs or ran seconds ago: stop it first".to_owned(),
        many => format!("{many} control planes run or ran seconds ago: stop all of them first"),
    }
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::LinkAuthority,
        Self::SigningKeys,
        Self::BackupCodeKey,
        Self::Authenticators,
        Self::Webhooks,
        Self::SignInProviders,
        Self::Mail,
    ];

    /// The name shown to operators.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LinkAuthority => "key of the link's authority",
            Self::SigningKeys => "keys that sign",
            Self::BackupCodeKey => "key of backup codes",
            Self::Authenticators => "secrets of authenticators",
            Self::Webhooks => "secrets of webhooks",
            Self::SignInProviders => "secrets of sign-in providers",
            Self::Mail => "mail that waits",
        }
    }

    const fn purpose(self) -> &'static str {
        match self {
            Self::LinkAuthority => purpose::LINK_AUTHORITY,
            Self::SigningKeys => purpose::SIGNING,
            Self::BackupCodeKey | Self::Authenticators => purpose::MFA,
            Self::Webhooks => purpose::WEBHOOKS,
            Self::SignInProviders => purpose::SIGN_IN_PROVIDERS,
            Self::Mail => purpose::MAIL,
        }
    }

    /// Rows beyond `after`, by id, locked until the end of the transaction.
    async fn list(self, conn: &mut PgConnection, after: Uuid) -> db::Result<Vec<Sealed>> {
        match self {
            Self::LinkAuthority => tls::list_sealed(conn, after).await,
            Self::SigningKeys => signing::list_sealed(conn, after, BATCH).await,
            Self::BackupCodeKey => mfa::store::list_sealed_key(conn, after).await,
            Self::Authenticators => mfa::store::list_sealed(conn, after, BATCH).await,
            Self::Webhooks => webhooks::store::list_sealed(conn, after, BATCH).await,
            Self::SignInProviders => {
                sign_in::store::providers::list_sealed(conn, after, BATCH).await
            }
            Self::Mail => mail::list_sealed(conn, after, BATCH).await,
        }
    }

    async fn update(self, conn: &mut PgConnection, rows: &[Sealed]) -> db::Result<()> {
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        let sealed: Vec<&[u8]> = rows.iter().map(|row| row.sealed.as_slice()).collect();
        match (self, sealed.as_slice()) {
            (_, []) => Ok(()),
            (Self::LinkAuthority, [key, ..]) => tls::update_sealed(conn, key).await,
            (Self::SigningKeys, all) => signing::update_sealed(conn, &ids, all).await,
            (Self::BackupCodeKey, [key, ..]) => mfa::store::update_sealed_key(conn, key).await,
            (Self::Authenticators, all) => mfa::store::update_sealed(conn, &ids, all).await,
            (Self::Webhooks, all) => webhooks::store::update_sealed(conn, &ids, all).await,
            (Self::SignInProviders, all) => {
                sign_in::store::providers::update_sealed(conn, &ids, all).await
            }
            (Self::Mail, all) => mail::update_sealed(conn, &ids, all).await,
        }
    }
}

/// Refuses while control planes run.
pub async fn require_none_running(db: &Db) -> Result<(), RotateError> {
    match Replicas::new(db.clone()).count_others().await? {
        0 => Ok(()),
        running => Err(RotateError::Running(running)),
    }
}

/// Seals with the new secret all data that the old one opens.
pub async fn rotate(
    db: &Db,
    old: &SecretString,
    new: &SecretString,
) -> Result<Vec<(Kind, Counts)>, RotateError> {
    let mut found = Vec::new();
    for kind in Kind::ALL {
        let secrets = Secrets::new(kind, old, new);
        found.push((kind, go_through(db, kind, &secrets, Mode::Look).await?));
    }
    let sum = |of: fn(&Counts) -> u64| found.iter().map(|(_, counts)| of(counts)).sum::<u64>();
    let (by_old, by_new) = (sum(|it| it.by_old), sum(|it| it.by_new));
    if by_old == 0 {
        return match sum(|it| it.by_neither) {
            some if some > 0 && by_new == 0 => Err(RotateError::WrongSecret(some)),
            _ => Ok(found),
        };
    }
    // First, so that a repeated run finds it.
    keep_backup_code_key(db, old, new).await?;
    let mut done = Vec::new();
    for kind in Kind::ALL {
        let secrets = Secrets::new(kind, old, new);
        done.push((kind, go_through(db, kind, &secrets, Mode::SealAnew).await?));
    }
    Ok(done)
}

/// Backup codes are hashed with a key of the old secret, and only their owners know them: the key is kept, sealed.
async fn keep_backup_code_key(
    db: &Db,
    old: &SecretString,
    new: &SecretString,
) -> Result<(), RotateError> {
    let key = derive(old.expose_secret().as_bytes(), mfa::BACKUP_CODES);
    let sealed = Sealer::new(new, purpose::MFA).seal(key.as_slice());
    let mut tx = db.begin().await?;
    mfa::store::insert_sealed_key(&mut tx, &sealed).await?;
    Ok(tx.commit().await?)
}

struct Secrets {
    old: Sealer,
    new: Sealer,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Look,
    SealAnew,
}

impl Secrets {
    fn new(kind: Kind, old: &SecretString, new: &SecretString) -> Self {
        Self {
            old: Sealer::new(old, kind.purpose()),
            new: Sealer::new(new, kind.purpose()),
        }
    }

    /// Counts a row, and returns it sealed with the new secret if the old one opens it.
    fn seal_anew(&self, row: Sealed, counts: &mut Counts) -> Option<Sealed> {
        if self.new.open(&row.sealed).is_ok() {
            counts.by_new += 1;
            return None;
        }
        match self.old.open(&row.sealed) {
            Ok(plain) => {
                counts.by_old += 1;
                let sealed = self.new.seal(&plain);
                Some(Sealed { sealed, ..row })
            }
            Err(OpenError) => {
                counts.by_neither += 1;
                None
            }
        }
    }
}

async fn go_through(db: &Db, kind: Kind, secrets: &Secrets, mode: Mode) -> db::Result<Counts> {
    let mut counts = Counts::default();
    let mut after = Uuid::nil();
    loop {
        let mut tx = db.begin().await?;
        let rows = kind.list(&mut tx, after).await?;
        let Some(last) = rows.last() else {
            return Ok(counts);
        };
        after = last.id;
        let anew: Vec<Sealed> = rows
            .into_iter()
            .filter_map(|row| secrets.seal_anew(row, &mut counts))
            .collect();
        if mode == Mode::SealAnew {
            kind.update(&mut tx, &anew).await?;
            tx.commit().await?;
        }
    }
}
