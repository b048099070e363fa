//! The guard's decisions, and its behaviour on the network. No test calls an address outside of this machine: names resolve to
//! the loopback address, in a guard that allows it.

mod bounds;
mod calls;
mod ranges;
mod rebinding;
mod receiver;
mod urls;

use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use ipnet::IpNet;
use uuid::Uuid;

use super::{Guard, Outgoing, Resolver, UserUrl};
use crate::{
    ids::OrgId,
    outbound::{HeaderMap, Method},
};

/// Longer than any step here that is not meant to time out.
const PATIENCE: Duration = Duration::from_secs(20);

const ACME: OrgId = OrgId(Uuid::from_u128(1));
const GLOBEX: OrgId = OrgId(Uuid::from_u128(2));

fn addresses(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn networks(texts: &[&str]) -> Vec<IpNet> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// A guard that allows calls to this machine.
fn guard_of_loopback(resolver: Resolver, timeout: Duration) -> Guard {
    Guard::new(networks(&["127.0.0.0/8"]), resolver, timeout)
}

fn parsed(guard: &Guard, text: &str) -> UserUrl {
    guard.parse("url", text).unwrap()
}

fn get() -> Outgoing {
    Outgoing {
        method: Method::GET,
        headers: HeaderMap::new(),
        body: bytes::Bytes::new(),
    }
}

/// Names with their addresses, one answer after the other; the last one stays. Counts the look-ups.
#[derive(Clone, Default)]
struct Names {
    answers: Arc<Mutex<HashMap<String, Vec<Vec<IpAddr>>>>>,
    asked: Arc<AtomicUsize>,
}

impl Names {
    fn with(self, name: &str, answers: &[&[&str]]) -> Self {
        let answers = answers.iter().rev().map(|answer| addresses(answer));
        let mut names = self.answers.lock().unwrap();
        names.insert(name.to_owned(), answers.collect());
        drop(names);
        self
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn resolver(&self) -> Resolver {
        let names = self.clone();
        Resolver::new(move |name| {
            names.asked.fetch_add(1, Ordering::SeqCst);
            let mut answers = names.answers.lock().unwrap();
            let missing = || io::Error::other("no such name");
            let answers = answers.get_mut(name).ok_or_else(missing)?;
            let last = answers.len() == 1;
            let answer = if last {
                answers.last().cloned()
            } else {
                answers.pop()
            };
            answer.ok_or_else(missing)
        })
    }
}
