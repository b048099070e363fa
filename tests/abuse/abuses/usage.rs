//! Counters and impressions.

use reqwest::Method;
use serde_json::json;
use sqlx::query;
use uuid::Uuid;

use crate::{attacker::Attacker, measure::Abuse};

/// Flushes of a full buffer of impressions, and lists of many counters.
pub struct Flushes;

impl Abuse for Flushes {
    const NAME: &str = "usage";

    async fn prepare(attacker: &Attacker) -> Self {
        for number in 0..5 {
            let project = json!({"name": format!("P{number}")});
            let request = attacker.managed(Method::POST, "/v1/projects");
            attacker.prepare(request.json(&project)).await;
        }
        let mut database = attacker.database().await;
        let org_id = Uuid::try_parse(&attacker.owner.org_id).expect("an id");
        // Ten thousand flags were asked for in each environment, and the buffer of impressions is full.
        for statement in [
            "INSERT INTO evaluation_counters (org_id, env_id, flag_key, reason, count, first_seen_at, last_seen_at)
             SELECT org_id, id, 'flag-' || n, 'FALLTHROUGH', n, now(), now()
             FROM environments, generate_series(1, 10000) AS n
             WHERE org_id = $1",
            "INSERT INTO impressions (org_id, received_ms, env_id, flag_key, variant_key, user_key)
             SELECT org_id, n, id, 'flag-' || n, repeat('v', 500), repeat('u', 500)
             FROM environments, generate_series(1, 6000) AS n
             WHERE org_id = $1",
            "INSERT INTO usage_windows (org_id, started_at, impressions)
             SELECT org_id, now(), count(*) FROM impressions WHERE org_id = $1 GROUP BY org_id
             ON CONFLICT (org_id) DO UPDATE SET impressions = excluded.impressions",
        ] {
            query(statement)
                .bind(org_id)
                .execute(&mut database)
                .await
                .expect("the tables of usage");
        }
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        let shown =
            json!({"flag_key": "f", "variant_key": "v".repeat(500), "user_key": "u".repeat(500)});
        let full = async {
            attacker
                .flood(4, |number| match number % 1_000 {
                    0 => attacker.managed(Method::POST, "/v1/metrics/impressions/flush"),
                    _ => attacker.sdk("/v1/track").json(&shown),
                })
                .await;
        };
        let lists = attacker.flood(4, |number| {
            let path = ["/v1/metrics/evaluations", "/v1/metrics/impressions"][number % 2];
            attacker.managed(Method::GET, path)
        });
        tokio::join!(full, lists);
    }
}
