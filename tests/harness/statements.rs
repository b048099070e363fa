//! What a control plane asks of its database, heard on the way there: every statement costs a round trip, whatever it does.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::tunnel::Tunnel;

/// Stands for a question that is only whether the server is there.
const PING: &str = "ping";
/// What a connection asks once, whoever uses it first: its time-outs, and what the driver has to know about types.
const OF_NEW_CONNECTIONS: [&str; 2] = ["set_config('lock_timeout'", "pg_catalog.pg_type"];
/// What every request of a member asks first, and nothing else does.
const SESSION_CHECK: &str = "JOIN token_families";

/// The statements of one control plane. Dropping it ends its connections.
pub struct Statements {
    heard: Arc<Mutex<Heard>>,
    _tunnel: Tunnel,
}

#[derive(Default)]
struct Heard {
    sessions: usize,
    sent: Vec<Sent>,
}

struct Sent {
    session: usize,
    text: String,
}

impl Statements {
    /// Listens on the way to a database; returns the URL that goes that way.
    pub async fn to_database(url: &str) -> (Self, String) {
        let heard = Arc::<Mutex<Heard>>::default();
        let hearing = Arc::clone(&heard);
        let listening = Box::new(move || {
            let mut session = Session::new(Arc::clone(&hearing));
            Box::new(move |sent: &[u8]| session.hear(sent)) as Box<dyn FnMut(&[u8]) + Send>
        });
        let (tunnel, url) = Tunnel::to_database_heard(url, listening).await;
        // What is encrypted cannot be heard.
        let mut through = reqwest::Url::parse(&url).expect("a URL");
        through.query_pairs_mut().append_pair("sslmode", "disable");
        let statements = Self {
            heard,
            _tunnel: tunnel,
        };
        (statements, through.into())
    }

    /// How much was sent until now.
    #[must_use]
    pub fn heard(&self) -> usize {
        lock(&self.heard).sent.len()
    }

    /// The statements that requests of members sent since so much was heard.
    #[must_use]
    pub fn of_requests(&self, since: usize) -> Vec<String> {
        self.sent(since, true, |text| {
            text != PING && !OF_NEW_CONNECTIONS.iter().any(|part| text.contains(part))
        })
    }

    /// How often it was asked for requests whether the server is there.
    #[must_use]
    pub fn pings_of_requests(&self, since: usize) -> usize {
        self.sent(since, true, |text| text == PING).len()
    }

    /// The statements that everybody else sent.
    #[must_use]
    pub fn of_others(&self, since: usize) -> Vec<String> {
        self.sent(since, false, |text| text != PING)
    }

    fn sent(&self, since: usize, by_requests: bool, is_meant: fn(&str) -> bool) -> Vec<String> {
        let heard = lock(&self.heard);
        let checks = heard
            .sent
            .iter()
            .filter(|sent| sent.text.contains(SESSION_CHECK));
        let of_requests: HashSet<_> = checks.map(|sent| sent.session).collect();
        heard.sent[since..]
            .iter()
            .filter(|sent| of_requests.contains(&sent.session) == by_requests)
            .filter(|sent| is_meant(&sent.text))
            .map(|sent| sent.text.clone())
            .collect()
    }
}

/// A connection, as PostgreSQL's protocol has it.
struct Session {
    heard: Arc<Mutex<Heard>>,
    number: usize,
    /// What is not a whole message yet.
    rest: Vec<u8>,
    has_begun: bool,
    /// Whether anything was sent that the next sync is about.
    is_asking: bool,
    prepared: HashMap<Vec<u8>, String>,
}

impl Session {
    fn new(heard: Arc<Mutex<Heard>>) -> Self {
        let number = {
            let mut heard = lock(&heard);
            heard.sessions += 1;
            heard.sessions
        };
        Self {
            heard,
            number,
            rest: Vec::new(),
            has_begun: false,
            is_asking: false,
            prepared: HashMap::new(),
        }
    }

    fn hear(&mut self, sent: &[u8]) {
        self.rest.extend_from_slice(sent);
        // The first message has no type.
        while let head = usize::from(self.has_begun)
            && let Some(length) = self.rest.get(head..head + 4)
            && let end = head
                + length
                    .iter()
                    .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
            && self.rest.len() >= end
        {
            let message: Vec<u8> = self.rest.drain(..end).collect();
            if self.has_begun {
                self.read(message[0], &message[5..]);
            }
            self.has_begun = true;
        }
    }

    fn read(&mut self, kind: u8, body: &[u8]) {
        let mut texts = body.split(|byte| *byte == 0);
        let mut text = || texts.next().unwrap_or_default();
        let as_text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match kind {
            b'P' => {
                let name = text().to_vec();
                let statement = as_text(text());
                self.prepared.insert(name, statement);
            }
            b'B' => {
                let (_portal, name) = (text(), text());
                let statement = self.prepared.get(name).cloned();
                self.note(statement.expect("a statement is prepared before it is bound"));
            }
            b'Q' => {
                let statement = as_text(text());
                self.note(statement);
            }
            b'S' if !self.is_asking => self.note(PING.to_owned()),
            _ => {}
        }
        self.is_asking = kind != b'S' && kind != b'Q';
    }

    fn note(&self, text: String) {
        let session = self.number;
        lock(&self.heard).sent.push(Sent { session, text });
    }
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}
