//! The flags around one: those that it requires, those that require it, and so on for a few levels.

use std::collections::HashSet;

use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::store::{self, Met};
use crate::flags::model::Flag;
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
};

/// Levels in each direction: more than a picture shows.
const LEVELS: i32 = 5;

/// Flags in each direction.
const MOST: usize = 60;

/// The flags around one.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagRelations)]
pub struct Relations {
    /// The flag itself, those that it requires, and those that require it; each once, the nearest first. 60 in each direction, and
    /// 5 levels.
    flags: Vec<Related>,
    /// Whether there are more.
    truncated: bool,
}

/// A flag among those around one.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RelatedFlag)]
struct Related {
    /// The flag's key.
    key: String,
    /// `null` if no flag has the key: what requires it is on for nobody.
    #[schema(required)]
    name: Option<String>,
    /// Whether it is archived, with the same effect.
    archived: bool,
    /// 1: required by the flag. 2: required by one of these. -1: requires the flag.
    level: i32,
    /// The keys of the flags that it requires.
    requires: Vec<String>,
    /// The environments in which it is on.
    env_ids: Vec<EnvId>,
}

impl Related {
    fn missing(key: String, level: i32) -> Self {
        Self {
            key,
            name: None,
            archived: false,
            level,
            requires: Vec::new(),
            env_ids: Vec::new(),
        }
    }

    fn at(level: i32, met: Met) -> Self {
        Self {
            key: met.key,
            name: Some(met.name),
            archived: met.is_archived,
            level,
            requires: met.prerequisites,
            env_ids: met.env_ids,
        }
    }
}

/// The tenant and the project of a search.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// The tenant of every query.
    pub org_id: OrgId,
    pub project_id: ProjectId,
}

pub async fn around(conn: &mut PgConnection, within: Within, flag: &Flag) -> db::Result<Relations> {
    let own = store::with_keys(conn, within, std::slice::from_ref(&flag.key)).await?;
    let own = own.into_iter().map(|met| Related::at(0, met)).collect();
    let mut search = Search {
        within,
        seen: HashSet::from([flag.key.clone()]),
        found: own,
        is_cut: false,
    };
    search.down(conn, flag.prerequisites.clone()).await?;
    search.up(conn, &flag.key).await?;
    Ok(Relations {
        flags: search.found,
        truncated: search.is_cut,
    })
}

struct Search {
    within: Within,
    /// The keys that were found.
    seen: HashSet<String>,
    found: Vec<Related>,
    /// Whether something was left out.
    is_cut: bool,
}

impl Search {
    /// Finds what the flag requires, level by level.
    async fn down(&mut self, conn: &mut PgConnection, mut keys: Vec<String>) -> db::Result<()> {
        let mut room = MOST;
        for level in 1..=LEVELS {
            self.keep_new(&mut keys, &mut room);
            if keys.is_empty() {
                return Ok(());
            }
            let mut met = store::with_keys(conn, self.within, &keys).await?;
            let mut next = Vec::new();
            for key in keys {
                let place = met.iter().position(|one| one.key == key);
                self.found.push(match place {
                    Some(place) => {
                        let one = met.swap_remove(place);
                        next.extend_from_slice(&one.prerequisites);
                        Related::at(level, one)
                    }
                    None => Related::missing(key, level),
                });
            }
            keys = next;
        }
        self.is_cut |= keys.iter().any(|key| !self.seen.contains(key));
        Ok(())
    }

    /// Finds what requires the flag, level by level.
    async fn up(&mut self, conn: &mut PgConnection, key: &str) -> db::Result<()> {
        let mut room = MOST;
        let mut keys = vec![key.to_owned()];
        for level in 1..=LEVELS {
            if keys.is_empty() {
                return Ok(());
            }
            // One more than there is room for says that there are more. Those that were found already take no room.
            let limit = i64::try_from(self.seen.len() + room + 1).unwrap_or(i64::MAX);
            let met = store::requiring(conn, self.within, &keys, limit).await?;
            keys = met.iter().map(|one| one.key.clone()).collect();
            self.keep_new(&mut keys, &mut room);
            let kept = met.into_iter().filter(|one| keys.contains(&one.key));
            let related: Vec<_> = kept.map(|one| Related::at(-level, one)).collect();
            self.found.extend(related);
        }
        if !keys.is_empty() {
            let more = store::requiring(conn, self.within, &keys, 1).await?;
            self.is_cut |= !more.is_empty();
        }
        Ok(())
    }

    /// Keeps the keys that are new, as far as there is room, each once.
    fn keep_new(&mut self, keys: &mut Vec<String>, room: &mut usize) {
        keys.retain(|key| {
            if self.seen.contains(key) {
                return false;
            }
            if *room == 0 {
                self.is_cut = true;
                return false;
            }
            *room -= 1;
            self.seen.insert(key.clone())
        });
    }
}
