//! One change of a bulk edit, by the operation of the single request.

use axum::http::StatusCode;
use serving::error::ApiError;

use super::input::Wanted;
use crate::{
    flags::{required, states::promoted},
    http::Access,
};
use base::{
    ids::{EnvId, ProjectId},
    input::{Invalid, Key},
    named::EnvRef,
    refusal::Refusal,
    warning::Warning,
};
use domain::{
    flags::{
        archive,
        change::{self, Authority, Place, Promotion},
        edit,
        input::FlagPatch,
        states::{input::StatePatch, store::Located},
    },
    unit::{Committed, Draft, Expected},
    version::Change,
};

/// How often a flag is read again that another request changes at the same time.
const ATTEMPTS: usize = 5;

pub(super) struct Edit<'a> {
    caller: &'a Access,
    project_id: ProjectId,
    change: Wanted<EnvId>,
}

pub(super) struct Done {
    pub(super) status: StatusCode,
    pub(super) version: Option<i64>,
    pub(super) warnings: Vec<String>,
    pub(super) change: Option<Change>,
}

impl<'a> Edit<'a> {
    /// Looks up the environments.
    pub(super) async fn new(
        caller: &'a Access,
        project_id: ProjectId,
        wanted: Wanted<EnvRef>,
    ) -> Result<Self, ApiError> {
        let find = async |named: EnvRef| {
            let env_id = caller.env_id(project_id, &named).await?;
            let env = caller.environment(project_id, env_id).await?;
            Ok::<_, Refusal>(env.id)
        };
        let change = match wanted {
            Wanted::Switch { env, enabled } => Wanted::Switch {
                env: find(env).await?,
                enabled,
            },
            Wanted::Promote {
                source,
                target,
                variants,
            } => {
                let (source, target) = (find(source).await?, find(target).await?);
                if source == target {
                    return Err(Invalid::new("env_id and target_env_id must differ").into());
                }
                Wanted::Promote {
                    source,
                    target,
                    variants,
                }
            }
            Wanted::Tag { tag, has_it } => Wanted::Tag { tag, has_it },
            Wanted::Archive => Wanted::Archive,
            Wanted::Restore => Wanted::Restore,
        };
        Ok(Self {
            caller,
            project_id,
            change,
        })
    }

    pub(super) async fn apply(&self, key: &str) -> Result<Done, ApiError> {
        let key = Key::parse(Some(key.to_owned()))?;
        match &self.change {
            Wanted::Switch { env, enabled } => self.switch(&key, *env, *enabled).await,
            Wanted::Tag { tag, has_it } => self.tag(&key, tag, *has_it).await,
            Wanted::Promote {
                source,
                target,
                variants,
            } => self.promote(&key, (*source, *target), *variants).await,
            Wanted::Archive => self.archive(&key).await,
            Wanted::Restore => self.restore(&key).await,
        }
    }

    async fn switch(&self, key: &Key, env_id: EnvId, enabled: bool) -> Result<Done, ApiError> {
        let caller = self.caller;
        let Located {
            flag_id,
            flag_type,
            read_at,
            state,
            ..
        } = caller.located(self.project_id, key, env_id).await?;
        let now = caller.clock.now();
        let check = move || {
            let wish = StatePatch::toggle(enabled).check(flag_type, now)?;
            Ok::<_, Invalid>(Draft::new(wish, state).read_at(read_at))
        };
        let draft = caller.checks.run(caller.org_id, check).await??;
        let place = Place { flag_id, env_id };
        let committed = caller
            .write_one(self.project_id, async |project| {
                let authority = Authority::Member(caller);
                change::update(project, place, draft, authority, &Expected::Any).await
            })
            .await?;
        Ok(stated(committed, |(state, warnings)| {
            (state.version, warnings)
        }))
    }

    async fn promote(
        &self,
        key: &Key,
        (source_id, target_id): (EnvId, EnvId),
        variants: bool,
    ) -> Result<Done, ApiError> {
        let caller = self.caller;
        let flag_id = caller.flag(self.project_id, key).await?.id;
        let place = |env_id| Place { flag_id, env_id };
        let places = (place(source_id), place(target_id));
        let promotion = Promotion { variants };
        let draft = promoted(caller, self.project_id, key, places, promotion).await?;
        let committed = caller
            .write_one(self.project_id, async |project| {
                let authority = Authority::Member(caller);
                let expected = &Expected::Any;
                change::promote(project, source_id, places.1, draft, authority, expected).await
            })
            .await?;
        Ok(stated(committed, |(state, warnings)| {
            (state.version, warnings)
        }))
    }

    /// Other tags stay: a flag that changed since it was read is read again.
    async fn tag(&self, key: &Key, tag: &str, has_it: bool) -> Result<Done, ApiError> {
        let caller = self.caller;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let flag = caller.flag(self.project_id, key).await?;
            let mut tags = flag.tags.clone();
            tags.retain(|one| one != tag);
            if has_it && tags.len() == flag.tags.len() {
                tags.push(tag.to_owned());
            } else if has_it {
                tags.clone_from(&flag.tags);
            }
            let wish = FlagPatch::tags(tags).check(&flag)?;
            let (id, expected) = (flag.id, Expected::OneOf(vec![flag.version]));
            let draft = Draft::new(wish, flag);
            let committed = caller
                .write_one(self.project_id, async |project| {
                    edit::update(project, id, draft, caller, &expected).await
                })
                .await;
            match committed {
                Err(Refusal::Changed { .. }) if attempts < ATTEMPTS => {}
                committed => {
                    return Ok(stated(committed?, |flag| (flag.version, Vec::new())));
                }
            }
        }
    }

    async fn archive(&self, key: &Key) -> Result<Done, ApiError> {
        let caller = self.caller;
        let flag = caller.flag(self.project_id, key).await?;
        let warnings = required(caller, self.project_id, &flag.key).await?;
        let committed = caller
            .write_one(self.project_id, async |project| {
                project.warn(&warnings);
                archive::archive(project, flag.id, caller, &Expected::Any).await
            })
            .await?;
        Ok(emptied(committed, &warnings))
    }

    async fn restore(&self, key: &Key) -> Result<Done, ApiError> {
        let caller = self.caller;
        let flag = caller.flag(self.project_id, key).await?;
        let committed = caller
            .write_one(self.project_id, async |project| {
                archive::restore(project, flag.id, caller, &Expected::Any).await
            })
            .await?;
        Ok(emptied(committed, &[]))
    }
}

fn stated<T>(
    Committed { made, change }: Committed<T>,
    split: impl FnOnce(T) -> (i64, Vec<Warning>),
) -> Done {
    let (version, warnings) = split(made);
    Done {
        status: StatusCode::OK,
        version: Some(version),
        warnings: texts(&warnings),
        change,
    }
}

fn emptied(committed: Committed<()>, warnings: &[Warning]) -> Done {
    Done {
        status: StatusCode::NO_CONTENT,
        version: None,
        warnings: texts(warnings),
        change: committed.change,
    }
}

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(Warning::text).collect()
}
