//! What every command that calls the service has: a client, a printer, and which project is meant.

use serde_json::Value;

use super::hints;
use crate::{
    api::{Address, Answer, Client, Error, Operation, Request, Settings, TokenFrom, operations},
    arguments::{Change, Global, InProject, MatchedChange, Paging, TriedChange, Wait},
    contexts::Contexts,
    environment,
    output::Printer,
};

/// A command that runs.
#[derive(Debug)]
pub struct Session {
    /// Calls the service.
    pub client: Client,
    /// Writes what it answers.
    pub printer: Printer,
}

impl Session {
    /// A session with the service that the environment or a context names.
    ///
    /// # Errors
    /// When neither names one, or the context does not exist.
    pub fn open(global: &Global) -> Result<Self, Error> {
        let contexts = Contexts::load()?;
        let context = contexts.chosen(global.context.as_deref())?;
        let url = environment::text(environment::URL);
        let address = url.as_ref().or_else(|| context.map(|context| &context.url));
        let address = address.ok_or_else(|| {
            Error::Usage(
                "run `halyardctl login --url ADDRESS` first, or set HALYARD_URL".to_owned(),
            )
        })?;
        let address = Address::parse(address)?;
        let (token, token_from) = match environment::text(environment::TOKEN) {
            Some(token) => (Some(token.into()), TokenFrom::Environment),
            // Not to another service than the one it is of.
            None => match context.filter(|context| context.url == address.as_str()) {
                Some(context) if context.token.is_some() => {
                    (context.token.clone(), TokenFrom::Context)
                }
                _ => (None, TokenFrom::Nowhere),
            },
        };
        let settings = Settings {
            address,
            token,
            token_from,
            verbose: global.verbose,
        };
        Ok(Self {
            client: Client::new(settings)?,
            printer: Printer::new(global.output),
        })
    }

    /// Sends a request; where something that it names does not exist, the error says what there is.
    ///
    /// # Errors
    /// As those of [`Client::send`].
    pub async fn send(&self, request: &Request) -> Result<Answer, Error> {
        match self.client.send(request).await {
            Err(error) => Err(hints::explained(&self.client, request, error).await),
            answer => answer,
        }
    }

    /// The same, as JSON.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub async fn get(&self, request: &Request) -> Result<Value, Error> {
        self.send(request).await?.json()
    }

    /// The part of a list that was asked for; the whole of it by default.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub async fn list(&self, request: &Request, paging: &Paging) -> Result<Value, Error> {
        if paging.limit.is_some() {
            let request = request
                .clone()
                .query("limit", paging.limit)
                .query("offset", paging.offset);
            return self.get(&request).await;
        }
        match self.client.all(request).await {
            Err(error) => Err(hints::explained(&self.client, request, error).await),
            list => list,
        }
    }

    /// Sends a change and writes what it answered.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub async fn change(&self, request: &Request, done: &str) -> Result<(), Error> {
        let answer = self.send(request).await?;
        self.printer.changed(&answer, done)
    }

    /// The project that is meant.
    ///
    /// # Errors
    /// When none is; the error names those there are.
    pub async fn project(&self, given: &InProject) -> Result<String, Error> {
        let named = given.project.clone();
        if let Some(named) = named.or_else(|| environment::text(environment::PROJECT)) {
            return Ok(named);
        }
        let all = self
            .client
            .all(&Request::new(&operations::LIST_PROJECTS, &[]))
            .await?;
        let slugs = hints::slugs(&all).join(", ");
        Err(Error::Usage(format!(
            "say which project with --project or HALYARD_PROJECT; there are: {slugs}"
        )))
    }

    /// The id of what is named by slug, for operations that take ids alone.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub async fn id(&self, of: &'static Operation, parts: &[&str]) -> Result<String, Error> {
        let last = parts.last().copied().unwrap_or_default();
        if uuid::Uuid::try_parse(last).is_ok() {
            return Ok(last.to_owned());
        }
        let found = self.get(&Request::new(of, parts)).await?;
        Ok(found["id"].as_str().unwrap_or_default().to_owned())
    }
}

/// What the options of a change add to a request.
pub(super) trait Changed {
    /// The request with them.
    fn with(self, change: &impl AsChange) -> Self;
}

impl Changed for Request {
    fn with(self, change: &impl AsChange) -> Self {
        change.add(self)
    }
}

/// Options of a change.
pub(super) trait AsChange {
    fn add(&self, request: Request) -> Request;
}

impl AsChange for Change {
    fn add(&self, request: Request) -> Request {
        let wait = self.wait.map(|Wait::Edges| "edges");
        request
            .query("wait", wait)
            .query("comment", self.comment.as_ref())
    }
}

impl AsChange for MatchedChange {
    fn add(&self, request: Request) -> Request {
        self.change.add(request).if_match(self.if_match.as_deref())
    }
}

impl AsChange for TriedChange {
    fn add(&self, request: Request) -> Request {
        let request = self.matched.add(request);
        if self.dry_run {
            request.query("dry_run", Some(true))
        } else {
            request
        }
    }
}
