//! A name server on loopback, which has the TXT records that a test gives it.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use tokio::net::UdpSocket;
use tokio_util::task::AbortOnDropHandle;

/// A running name server.
pub struct NameServer {
    pub address: SocketAddr,
    records: Arc<Mutex<HashMap<String, Vec<String>>>>,
    _task: AbortOnDropHandle<()>,
}

impl NameServer {
    pub async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
        let address = socket.local_addr().expect("an address");
        let records = Arc::<Mutex<HashMap<String, Vec<String>>>>::default();
        let known = Arc::clone(&records);
        let task = tokio::spawn(async move {
            let mut buffer = [0; 1_500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let Some(answer) = answer(&buffer[..length], &known) else {
                    continue;
                };
                drop(socket.send_to(&answer, from).await);
            }
        });
        Self {
            address,
            records,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// Gives a name a TXT record besides those that it has.
    pub fn add(&self, name: &str, text: &str) {
        let mut records = self.records.lock().expect("records");
        let texts = records.entry(name.to_owned()).or_default();
        texts.push(text.to_owned());
    }

    /// Takes all records of a name away.
    pub fn forget(&self, name: &str) {
        self.records.lock().expect("records").remove(name);
    }

    /// Fails for a name from now on.
    pub fn refuse(&self, name: &str) {
        self.forget(name);
        self.add(name, FAILS);
    }
}

/// What stands for a failure among the records of a name.
const FAILS: &str = "SERVFAIL";

/// The answer to a question for TXT records (RFC 1035, 4.1): that there is no such name, or its records.
fn answer(question: &[u8], records: &Mutex<HashMap<String, Vec<String>>>) -> Option<Vec<u8>> {
    let mut at = 12;
    let mut labels = Vec::new();
    loop {
        let length = usize::from(*question.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(question.get(at..at + length)?).to_lowercase());
        at += length;
    }
    let end = at + 4;
    let asked = question.get(12..end)?;
    let texts = records.lock().expect("records");
    let texts = texts.get(&labels.join("."));
    let fails = texts.is_some_and(|texts| texts.iter().any(|text| text == FAILS));
    let texts = texts.filter(|_| !fails);
    let count = u8::try_from(texts.map_or(0, Vec::len)).ok()?;
    // SERVFAIL, no error, and NXDOMAIN.
    let code = match texts {
        _ if fails => 2,
        Some(_) => 0,
        None => 3,
    };
    let mut answer = question.get(..2)?.to_vec();
    answer.extend([0x85, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0]);
    answer.extend(asked);
    for text in texts.into_iter().flatten() {
        // The name of the question, TXT, IN, a minute.
        answer.extend([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60]);
        let length = u8::try_from(text.len()).ok()?;
        answer.extend([0, length + 1, length]);
        answer.extend(text.as_bytes());
    }
    Some(answer)
}
