//! The keys that sign what edges and SDKs are sent: one signs at a time, and edges are told of each before it does.
//!
//! They belong to the service, are kept sealed, and are vouched for on the link by certificates of its authority. A replica reads
//! them every minute.
//!
//! Edges do not go back to what was signed long before what they hold, so all replicas date signatures by one clock: the
//! database's, as of when the keys were read. A machine whose time is set wrong signs nothing of tomorrow, after which edges would
//! refuse what others sign today.

mod keys;
mod store;

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use base::{
    clocks::agreed,
    db::{self, Db},
};
use fanout::{LastTimestamp, Signers};
use parking_lot::Mutex;
use protocol::{
    ids::EnvId,
    rehearsal::{Rehearsal, SignedRehearsal},
    signature::{Contents, Signature, SigningKey},
    snapshot::Version,
    timestamp::{self, Register},
    what_if::{Question, SignedQuestion},
};
use secrecy::SecretString;
use serving::{clock::Clock, error::chain};
use time::{Duration, OffsetDateTime};
use tokio::{sync::watch, task::spawn_blocking};
use uuid::Uuid;

use self::keys::Keys;
use crate::{
    compile::unix_ms,
    tls::{Authority, AuthorityError},
};

pub use self::{
    keys::{KeyError, RotateError, list, rotate},
    store::{StoredKey, list_sealed, update_sealed},
};

/// How long a certificate for a key is valid. It is replaced when half of that is over. Short, since it cannot be revoked.
const CERTIFICATE: Duration = Duration::days(7);

/// Signs, with the key of the time.
#[derive(Debug)]
pub(crate) struct Signing {
    db: Db,
    secret: SecretString,
    clock: Clock,
    loaded: ArcSwapOption<Loaded>,
    loading: tokio::sync::Mutex<()>,
    /// For which keys there are certificates, and since when.
    certified: Mutex<Option<(Vec<Uuid>, OffsetDateTime)>>,
    certificates: watch::Sender<Signers>,
    timestamps: watch::Sender<LastTimestamp>,
}

/// What was read last.
#[derive(Debug)]
struct Loaded {
    keys: Keys,
    /// The one that signs, unless it cannot be opened.
    signer: Option<Signer>,
    dates: Dates,
}

/// The key that signs at this time.
#[derive(Clone, Debug)]
pub(crate) struct Signer {
    pub(crate) id: Uuid,
    key: Arc<SigningKey>,
    dates: Dates,
}

/// The time that is signed.
#[derive(Clone, Debug)]
struct Dates {
    clock: Clock,
    /// When nothing had elapsed on the clock yet.
    origin: OffsetDateTime,
    /// Before which nothing is dated.
    not_before: OffsetDateTime,
}

impl Dates {
    fn now(&self) -> OffsetDateTime {
        self.by_database().max(self.not_before)
    }

    fn by_database(&self) -> OffsetDateTime {
        self.origin + self.clock.elapsed()
    }
}

impl Signer {
    pub(crate) fn sign_rehearsal(&self, rehearsal: Rehearsal) -> SignedRehearsal {
        rehearsal.sign(&self.key)
    }

    pub(crate) fn sign_question(&self, question: Question) -> SignedQuestion {
        question.sign(&self.key)
    }

    pub(crate) fn sign(&self, contents: &Contents) -> Signature {
        self.key.sign(contents, self.now_ms())
    }

    /// The time that is signed now, in Unix milliseconds.
    pub(crate) fn now_ms(&self) -> i64 {
        unix_ms(self.dates.now())
    }
}

impl Signing {
    pub(crate) fn new(db: Db, secret: SecretString, clock: Clock) -> Self {
        Self {
            db,
            secret,
            clock,
            loaded: ArcSwapOption::empty(),
            loading: tokio::sync::Mutex::default(),
            certified: Mutex::default(),
            certificates: watch::Sender::default(),
            timestamps: watch::Sender::default(),
        }
    }

    /// What signs now; nothing where no key can be opened.
    pub(crate) async fn signer(&self) -> db::Result<Option<Signer>> {
        Ok(self.loaded().await?.signer.clone())
    }

    /// The keys whose signatures are accepted.
    pub(crate) async fn keys(&self) -> db::Result<Vec<StoredKey>> {
        Ok(self.loaded().await?.keys.stored.clone())
    }

    /// Reads the keys again.
    pub(crate) async fn refresh(&self) -> db::Result<()> {
        self.load().await.map(drop)
    }

    async fn loaded(&self) -> db::Result<Arc<Loaded>> {
        if let Some(loaded) = self.loaded.load_full() {
            return Ok(loaded);
        }
        let _turn = self.loading.lock().await;
        match self.loaded.load_full() {
            Some(loaded) => Ok(loaded),
            None => self.load().await,
        }
    }

    async fn load(&self) -> db::Result<Arc<Loaded>> {
        let database = db::now(&mut *self.db.acquire().await?).await?;
        let now = agreed(&self.clock, database);
        let origin = now - self.clock.elapsed();
        let keys = Keys::load(&self.db, &self.secret, now).await?;
        if let Some(signing) = keys.signing(now) {
            store::signs(&mut *self.db.acquire().await?, signing.id, now).await?;
        }
        let dates = Dates {
            clock: self.clock.clone(),
            origin,
            not_before: keys.signed_until().unwrap_or(now),
        };
        let signer = keys.signing(now).and_then(|stored| {
            let opened = stored.open(&self.secret).inspect_err(|error| {
                let error = chain(error);
                tracing::error!(error, "what edges are sent is not signed");
            });
            Some(Signer {
                id: stored.id,
                key: Arc::new(opened.ok()?),
                dates: dates.clone(),
            })
        });
        let loaded = Arc::new(Loaded {
            keys,
            signer,
            dates,
        });
        self.loaded.store(Some(Arc::clone(&loaded)));
        Ok(loaded)
    }

    /// Has edges told of the keys that were read last, if these are others or their certificates are old.
    pub(crate) fn certify(&self, authority: &Authority) -> Result<(), AuthorityError> {
        let Some(loaded) = self.loaded.load_full() else {
            return Ok(());
        };
        let now = loaded.dates.now();
        let ids: Vec<_> = loaded.keys.stored.iter().map(|key| key.id).collect();
        let mut certified = self.certified.lock();
        if certified
            .as_ref()
            .is_some_and(|(known, since)| *known == ids && now - *since < CERTIFICATE / 2)
        {
            return Ok(());
        }
        let keys = loaded.keys.stored.iter();
        let issued =
            keys.map(|key| authority.issue_signer(&key.public_key, now, now + CERTIFICATE));
        let issued = issued.collect::<Result<Vec<_>, _>>()?;
        let issued = issued.iter().map(|certificate| certificate.to_vec());
        self.certificates.send_replace(Arc::new(issued.collect()));
        *certified = Some((ids, now));
        Ok(())
    }

    /// The certificates (DER) of the keys whose signatures are accepted.
    pub(crate) fn certificates(&self) -> watch::Receiver<Signers> {
        self.certificates.subscribe()
    }

    /// The database's time as of when the keys were read, Unix milliseconds; before that, what this machine's clock shows.
    pub(crate) fn by_database_ms(&self) -> i64 {
        let loaded = self.loaded.load();
        let now = loaded.as_ref().map(|loaded| loaded.dates.by_database());
        unix_ms(now.unwrap_or_else(|| self.clock.now()))
    }

    /// The time that is signed now, in Unix milliseconds; nothing where no key can be opened.
    pub(crate) async fn now_ms(&self) -> db::Result<Option<i64>> {
        Ok(self.signer().await?.map(|signer| signer.now_ms()))
    }

    /// Signs which versions were current.
    pub(crate) async fn timestamp(
        &self,
        versions: Vec<(EnvId, Version)>,
        at_ms: i64,
    ) -> db::Result<()> {
        let Some(signer) = self.signer().await? else {
            return Ok(());
        };
        if versions.len() > timestamp::MOST {
            tracing::error!(
                environments = versions.len(),
                "there are more environments than a timestamp covers"
            );
            return Ok(());
        }
        // It takes a while for many of them.
        let signed = spawn_blocking(move || {
            let leaves = versions.into_iter();
            let leaves = leaves.map(|(env_id, version)| timestamp::leaf(env_id, version));
            Register::sign(&signer.key, leaves.collect(), at_ms)
        });
        if let Ok(register) = signed.await {
            self.timestamps.send_replace(Some(Arc::new(register)));
        }
        Ok(())
    }

    /// The timestamps of this replica.
    pub(crate) fn timestamps(&self) -> watch::Receiver<LastTimestamp> {
        self.timestamps.subscribe()
    }
}
