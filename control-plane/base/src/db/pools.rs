//! The connections of a replica: which there are, whom they are for, and how long anything may take on them.
//!
//! Requests have connections of their own, with a share for each organization and each client network, so that nobody who holds
//! or waits for many keeps others waiting. Publishing, jobs and probes have connections that requests cannot take.

use std::{net::IpAddr, sync::Arc, time::Duration};

use futures_util::future::join_all;
use secrecy::{ExposeSecret, SecretString};
use sqlx::{
    Connection, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use time::OffsetDateTime;

use super::{Result, behalf::Behalf, measured::in_use, moves::Moves};
use crate::{
    config::DatabaseSettings,
    limits::{self, Limiter, Permit},
};

/// How long anything may take on a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Until there is a connection.
    pub(super) connection: Duration,
    /// Until a lock is free.
    lock: Duration,
    /// Until a statement ends, with the locks that it waits for.
    statement: Duration,
    /// Between two statements of a transaction.
    idle: Duration,
}

/// A client has about half a minute of patience. A bulk change holds a project's lock for a few seconds.
const REQUESTS: Patience = Patience {
    connection: Duration::from_secs(3),
    lock: Duration::from_secs(5),
    statement: Duration::from_secs(20),
    idle: Duration::from_secs(10),
};

/// Nobody waits for the answer: imports and purges write a lot at once.
pub(super) const BACKGROUND: Patience = Patience {
    connection: Duration::from_secs(5),
    lock: Duration::from_secs(10),
    statement: Duration::from_secs(120),
    idle: Duration::from_secs(60),
};

/// A probe is answered within two seconds.
pub(super) const PROBE: Patience = Patience {
    connection: Duration::from_secs(2),
    lock: Duration::from_secs(2),
    statement: Duration::from_secs(2),
    idle: Duration::from_secs(2),
};

/// Migrations take as long as they take. But requests wait behind a migration that waits for a table, and in a deadlock it is to be
/// the one that gives up: before the `deadlock_timeout` of Postgres, a second.
pub(super) const MIGRATION: Patience = Patience {
    connection: Duration::from_secs(5),
    lock: Duration::from_millis(500),
    statement: Duration::ZERO,
    idle: Duration::ZERO,
};

/// The connections of requests.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    pub(super) pool: PgPool,
    orgs: Limiter,
    /// The networks that organizations are used from.
    org_networks: Limiter<IpAddr>,
    /// Clients whose organization is not known: they sign in, or are payment gateways.
    strangers: Limiter<IpAddr>,
}

/// The permits of a request: of its organization, if that is known, and of its network.
pub(super) type Permits = (Option<Permit>, Permit<IpAddr>);

/// The right of a request to use a connection.
#[derive(Debug)]
pub(super) struct Admitted {
    connected: Connected,
    permits: Permits,
}

/// The request has a connection.
#[derive(Debug)]
struct Connected(Arc<Behalf>);

impl Requests {
    pub(super) fn new(
        options: PgConnectOptions,
        settings: &DatabaseSettings,
        moves: &Moves,
    ) -> Self {
        let connections = settings.connections.get();
        let all = usize::try_from(connections).unwrap_or(usize::MAX);
        let [orgs, org_networks, strangers] = limits::connections(all);
        Self {
            pool: pool(connections, REQUESTS, moves)
                .min_connections(settings.idle_connections)
                .connect_lazy_with(options),
            orgs: Limiter::new(orgs),
            org_networks: Limiter::new(org_networks),
            strangers: Limiter::new(strangers),
        }
    }

    /// Opens those that are kept, which the pool does only when it opens others. Where that fails, it is done when they are needed.
    pub(super) async fn warm(&self) {
        let kept = self.pool.options().get_min_connections();
        join_all((0..kept).map(|_| self.pool.acquire())).await;
    }

    /// How many requests wait for a connection.
    pub(super) fn waiting(&self) -> usize {
        let admitted_or_waiting = self.orgs.users() + self.strangers.users();
        admitted_or_waiting.saturating_sub(in_use(&self.pool))
    }

    /// Waits until the request may use a connection. No connection is taken meanwhile.
    pub(super) async fn admit(&self, behalf: Arc<Behalf>) -> Result<Admitted> {
        let permits = match behalf.org_id() {
            // First its own share: whoever waits for that of the network holds up nobody but the organization.
            Some(org_id) => {
                let of_org = self.orgs.enter(org_id).await?;
                (
                    Some(of_org),
                    self.org_networks.enter(behalf.network()).await?,
                )
            }
            None => (None, self.strangers.enter(behalf.network()).await?),
        };
        behalf.connects();
        Ok(Admitted {
            connected: Connected(behalf),
            permits,
        })
    }
}

impl Admitted {
    /// The request has no connection any more. The permits are held until the connection is free.
    pub(super) fn leave(self) -> Permits {
        drop(self.connected);
        self.permits
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.disconnects();
    }
}

/// A pool for `DATABASE_URL`, for work that no request waits for.
///
/// # Errors
/// When the address is malformed or nothing answers there.
pub async fn connect(url: &SecretString, connections: u32) -> Result<PgPool> {
    open(url, connections, &Moves::default()).await
}

pub(super) async fn open(url: &SecretString, connections: u32, moves: &Moves) -> Result<PgPool> {
    let options: PgConnectOptions = url.expose_secret().parse()?;
    let options = options.application_name("halyard");
    let pool = pool(connections, BACKGROUND, moves);
    Ok(pool.connect_with(options).await?)
}

/// A pool besides the pool, of few connections that are made when they are needed: for what must not wait for others, or for
/// what strangers can cause, so that they do not take the connections of those who are known.
pub(super) fn beside(
    pool_of: &PgPool,
    connections: u32,
    patience: Patience,
    moves: &Moves,
) -> PgPool {
    let options = PgConnectOptions::clone(&pool_of.connect_options());
    pool(connections, patience, moves).connect_lazy_with(options)
}

pub(super) fn pool(connections: u32, patience: Patience, moves: &Moves) -> PgPoolOptions {
    let (returned, taken) = (moves.clone(), moves.clone());
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(patience.connection)
        // It was asked whether it is there when it was given back, and is asked again only after it has been idle for a while.
        .test_before_acquire(false)
        .before_acquire(move |conn, idle| {
            let is_fresh = idle.idle_for <= Duration::from_millis(100);
            let moves = taken.clone();
            Box::pin(async move {
                Ok(!moves.left_behind(idle.age)
                    && (is_fresh || matches!(moves.within(conn.ping()).await, Ok(Ok(())))))
            })
        })
        .after_release(move |_, used| {
            let is_left = returned.left_behind(used.age);
            Box::pin(async move { Ok(!is_left) })
        })
        .after_connect(move |conn, _| Box::pin(async move { patience.set(conn).await }))
}

impl Patience {
    /// Everything takes at most this.
    pub(super) const fn of(patience: Duration) -> Self {
        Self {
            connection: patience,
            lock: patience,
            statement: patience,
            idle: patience,
        }
    }

    pub(super) async fn set(self, conn: &mut PgConnection) -> sqlx::Result<()> {
        let millis = |duration: Duration| format!("{}ms", duration.as_millis());
        let set = sqlx::query!(
            r#"SELECT set_config('lock_timeout', $1, false) AS lock,
                    set_config('statement_timeout', $2, false) AS statement,
                    set_config('idle_in_transaction_session_timeout', $3, false) AS idle,
                    -- Compiling a plan takes longer than what is asked here.
                    set_config('jit', 'off', false) AS jit,
                    pg_is_in_recovery() AS "is_standby!""#,
            millis(self.lock),
            millis(self.statement),
            millis(self.idle),
        )
        .fetch_one(conn)
        .await?;
        if set.is_standby {
            // The address has not moved yet, or was wrong for a moment. Kept, the connection would refuse writes for half an hour.
            let words = "this is a standby, which takes no writes";
            return Err(sqlx::Error::Configuration(words.into()));
        }
        Ok(())
    }
}

/// A session besides the pool, for locks that are held as long as a process does something. Postgres ends it once it has been
/// silent for `silence`: whoever holds it sends something more often.
///
/// # Errors
/// When nobody answers.
pub async fn session(pool: &PgPool, silence: Duration) -> Result<PgConnection> {
    let options = pool.connect_options();
    let mut session = PgConnection::connect_with(&options).await?;
    sqlx::query_scalar!(
        "SELECT set_config('idle_session_timeout', $1, false)",
        format!("{}ms", silence.as_millis()),
    )
    .fetch_one(&mut session)
    .await?;
    Ok(session)
}

/// What the database's clock shows.
///
/// # Errors
/// When the database does not answer.
pub async fn now(conn: &mut PgConnection) -> Result<OffsetDateTime> {
    let now = sqlx::query_scalar!(r#"SELECT clock_timestamp() AS "now!""#);
    Ok(now.fetch_one(conn).await?)
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, num::NonZeroU32};

    use super::*;
    use crate::ids::OrgId;

    async fn admitted(requests: &Requests, org_id: OrgId, last: u8) -> bool {
        let behalf = Behalf::of(Ipv4Addr::new(192, 0, 2, last).into());
        behalf
            .scope(async { crate::db::behalf::is_of(org_id) })
            .await;
        match requests.admit(behalf).await {
            Ok(admitted) => {
                std::mem::forget(admitted);
                true
            }
            Err(_) => false,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn many_organizations_of_one_network_leave_connections_to_others() {
        let settings = DatabaseSettings {
            url: SecretString::from("postgres://localhost/none"),
            connections: NonZeroU32::new(20).unwrap(),
            idle_connections: 0,
            work_connections: 1,
        };
        let requests = Requests::new(PgConnectOptions::new(), &settings, &Moves::default());
        for _ in 0..10 {
            assert!(admitted(&requests, OrgId::new(OffsetDateTime::UNIX_EPOCH), 1).await);
        }
        assert!(
            !admitted(&requests, OrgId::new(OffsetDateTime::UNIX_EPOCH), 1).await,
            "two thirds of 15"
        );
        assert!(admitted(&requests, OrgId::new(OffsetDateTime::UNIX_EPOCH), 2).await);
    }
}
