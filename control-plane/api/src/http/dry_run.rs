//! `?dry_run=true`: the write is done in its unit of work and rolled back, and the answer lists the changes.

use std::convert::Infallible;

use axum::{
    Json,
    extract::FromRequestParts,
    http::request::Parts,
    response::{IntoResponse, Response},
};
use serving::document::refuses;
use url::form_urlencoded;
use utoipa::openapi::{
    ObjectBuilder, RefOr, Required, Type,
    path::{Operation, ParameterBuilder, ParameterIn},
};

use super::{
    access::{Access, answer::Answer, declare::Argument},
    published::Published,
    warned::Warned,
};
use base::{
    ids::ProjectId,
    input::Invalid,
    refusal::{Missing, Refusal},
};
use domain::{
    dry_run::{model::DryRun, roll_back},
    unit::{ProjectChange, Recorded, Unit},
};

const DRY_RUN: &str = "dry_run";

/// The `dry_run` of a request, parsed only after the path is looked up.
pub(crate) struct DryRunQuery(Vec<String>);

impl<S: Send + Sync> FromRequestParts<S> for DryRunQuery {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        let given = form_urlencoded::parse(query.as_bytes());
        let given = given.filter(|(name, _)| name == DRY_RUN);
        Ok(Self(given.map(|(_, value)| value.into_owned()).collect()))
    }
}

impl DryRunQuery {
    /// Whether it is a dry run.
    pub(crate) fn read(&self) -> Result<bool, Invalid> {
        let mut is_dry_run = false;
        for value in &self.0 {
            is_dry_run |= match value.as_str() {
                "true" => true,
                "false" => false,
                _ => return Err(Invalid::new("dry_run must be true or false")),
            };
        }
        Ok(is_dry_run)
    }
}

impl Argument for DryRunQuery {
    fn describe(operation: &mut Operation) {
        let value = ObjectBuilder::new().schema_type(Type::Boolean).build();
        let parameter = ParameterBuilder::new()
            .name(DRY_RUN)
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .description(Some(
                "`true`: answer 200 with a `DryRun`, which lists the changes, and change nothing. Refusals are the same.",
            ))
            .schema(Some(value))
            .build();
        let parameters = operation.parameters.get_or_insert_default();
        parameters.push(RefOr::T(parameter));
        refuses(operation, 400, "`dry_run` is not `true` or `false`");
    }
}

/// The outcome of a write that may be a dry run.
pub(crate) enum Outcome<T> {
    Done(T),
    /// The changes, and the warnings about them.
    Planned(DryRun, Warned),
}

impl<T> Outcome<T> {
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Done(done) => Outcome::Done(make(done)),
            Self::Planned(planned, warned) => Outcome::Planned(planned, warned),
        }
    }
}

impl<T: IntoResponse> IntoResponse for Outcome<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Done(done) => done.into_response(),
            Self::Planned(planned, warned) => (warned, Json(planned)).into_response(),
        }
    }
}

impl<T: Answer> Answer for Outcome<T> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }
}

impl Access {
    /// Starts a unit of work that may be a dry run, which waits for no edges.
    pub(crate) async fn begin_or_try(&self, is_dry_run: bool) -> Result<Unit, Refusal> {
        if !is_dry_run {
            return self.begin().await;
        }
        let now = self.clock.now();
        let unit = Unit::begin(&self.db, self.org_id, self.actor(), now).await?;
        Ok(unit.as_dry_run())
    }

    /// Performs an operation on a project in a unit of work, which a dry run rolls back.
    pub(crate) async fn write_or_try<T>(
        &self,
        is_dry_run: bool,
        project_id: ProjectId,
        operation: impl AsyncFnOnce(&mut ProjectChange<'_>) -> Result<Recorded<T>, Refusal>,
    ) -> Result<Outcome<(Published, T)>, Refusal> {
        let mut unit = self.begin_or_try(is_dry_run).await?;
        let project = unit.lock_project(&self.clock, project_id).await?;
        let recorded = operation(&mut project.ok_or(Missing::Project)?).await?;
        self.commit_or_roll_back(unit, recorded).await
    }

    /// Rolls a dry run back; returns what it would have made, where that describes itself.
    pub(crate) fn roll_back<T>(&self, unit: Unit, recorded: Recorded<T>) -> Result<T, Refusal> {
        self.checked.check_warnings(unit.warnings())?;
        Ok(recorded.rolled_back(unit))
    }

    /// Commits a unit of work, or rolls a dry run back.
    pub(crate) async fn commit_or_roll_back<T>(
        &self,
        unit: Unit,
        recorded: Recorded<T>,
    ) -> Result<Outcome<(Published, T)>, Refusal> {
        if !unit.is_dry_run() {
            return self.commit(unit, recorded).await.map(Outcome::Done);
        }
        self.checked.check_warnings(unit.warnings())?;
        let warned = Warned(unit.warnings().to_vec());
        let planned = roll_back(unit, recorded).await?;
        Ok(Outcome::Planned(planned, warned))
    }
}
