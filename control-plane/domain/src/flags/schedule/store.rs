//! SQL of schedules: due times of all organizations, since firing is the service's own work. Each firing reads again within its
//! organization.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{
    db,
    ids::{EnvId, FlagId, FlagStateId, OrgId},
};

#[derive(Clone, Debug)]
pub(super) struct Due {
    pub(super) id: FlagStateId,
    pub(super) org_id: OrgId,
    pub(super) flag_id: FlagId,
    pub(super) env_id: EnvId,
    pub(super) due_at: OffsetDateTime,
}

/// The earliest due times up to `now`, in order: up to 20 of an organization, so that the others do not wait for long, and up to
/// 200 in all. A state with both is listed twice. Leaves out `except`.
pub(super) async fn list_due(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    except: &[FlagStateId],
) -> db::Result<Vec<Due>> {
    Ok(sqlx::query_as!(
        Due,
        r#"SELECT id AS "id!: FlagStateId", org_id AS "org_id!: OrgId", flag_id AS "flag_id!: FlagId",
                  env_id AS "env_id!: EnvId", due_at AS "due_at!"
           FROM (
               SELECT id, org_id, flag_id, env_id, due_at,
                      ROW_NUMBER() OVER (PARTITION BY org_id ORDER BY due_at, id) AS place
               FROM (
                   SELECT id, org_id, flag_id, env_id, scheduled_enable_at AS due_at
                   FROM flag_states
                   WHERE scheduled_enable_at <= $1
                   UNION ALL
                   SELECT id, org_id, flag_id, env_id, scheduled_disable_at
                   FROM flag_states
                   WHERE scheduled_disable_at <= $1
               ) AS due
               WHERE id <> ALL ($2)
                   -- States of environments that are gone stay for a while.
                   AND EXISTS (SELECT FROM environments e WHERE e.id = due.env_id)
           ) AS placed
           WHERE place <= $3
           ORDER BY due_at, id
           LIMIT $4"#,
        now,
        except as &[FlagStateId],
        20_i64,
        200_i64,
    )
    .fetch_all(conn)
    .await?)
}

pub(super) async fn next_after(
    conn: &mut PgConnection,
    now: OffsetDateTime,
) -> db::Result<Option<OffsetDateTime>> {
    Ok(sqlx::query_scalar!(
        "SELECT LEAST(
             (SELECT MIN(scheduled_enable_at) FROM flag_states WHERE scheduled_enable_at > $1),
             (SELECT MIN(scheduled_disable_at) FROM flag_states WHERE scheduled_disable_at > $1)
         )",
        now,
    )
    .fetch_one(conn)
    .await?)
}
