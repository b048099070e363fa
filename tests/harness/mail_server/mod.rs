//! A mail server on loopback: the protocol by the crate `mailin`, delays and refusals by the test.

mod identity;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mailin::response::{AUTH_OK, INVALID_CREDENTIALS, NO_MAILBOX, OK};
use mailin::{Action, AuthMechanism, Handler, Response, Session, SessionBuilder};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use identity::Identity;

use crate::mails::Mail;

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A running mail server. Dropping it stops it, in the middle of whatever it does.
pub struct MailServer {
    /// Where it listens.
    pub address: SocketAddr,
    state: Arc<State>,
    _stop: DropGuard,
}

/// What a server asks of its clients.
#[derive(Clone)]
enum Manner {
    Open,
    SignIn,
    Encrypted(TlsAcceptor),
    EncryptedSignIn(TlsAcceptor),
    EncryptedFromTheStart(TlsAcceptor),
}

/// What all connections share.
#[derive(Default)]
struct State {
    received: Mutex<Vec<Mail>>,
    refused: Mutex<Vec<(String, u16)>>,
    sign_ins: Mutex<Vec<String>>,
    connections: AtomicUsize,
    /// Recipients whose mail is held up.
    held: watch::Sender<Option<&'static str>>,
    /// Mails that are held up now.
    waiting: watch::Sender<usize>,
}

impl MailServer {
    /// One that speaks in the clear.
    pub async fn start() -> Self {
        Self::start_at(SocketAddr::from((LOCALHOST, 0))).await
    }

    /// One at a place where there was none, or another.
    pub async fn start_at(address: SocketAddr) -> Self {
        Self::start_as(address, Manner::Open).await
    }

    /// One that wants a password, also in the clear.
    pub async fn start_with_sign_in() -> Self {
        Self::start_as(SocketAddr::from((LOCALHOST, 0)), Manner::SignIn).await
    }

    /// One that offers to encrypt, with a certificate for `localhost` that nobody vouches for.
    pub async fn start_with_unknown_certificate() -> Self {
        let manner = Manner::Encrypted(Identity::new().acceptor());
        Self::start_as(SocketAddr::from((LOCALHOST, 0)), manner).await
    }

    /// One that offers to encrypt, and then wants the password `secret`.
    pub async fn start_with_encrypted_sign_in(identity: &Identity) -> Self {
        let manner = Manner::EncryptedSignIn(identity.acceptor());
        Self::start_as(SocketAddr::from((LOCALHOST, 0)), manner).await
    }

    /// One that encrypts from the first byte.
    pub async fn start_encrypted(identity: &Identity) -> Self {
        let manner = Manner::EncryptedFromTheStart(identity.acceptor());
        Self::start_as(SocketAddr::from((LOCALHOST, 0)), manner).await
    }

    async fn start_as(address: SocketAddr, manner: Manner) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        let state = Arc::new(State::default());
        let stop = CancellationToken::new();
        let serving = serve(listener, Arc::clone(&state), manner, stop.clone());
        tokio::spawn(stop.clone().run_until_cancelled_owned(serving));
        Self {
            address,
            state,
            _stop: stop.drop_guard(),
        }
    }

    /// The value of `SMTP_URL` that leads here.
    #[must_use]
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// What was accepted, in the order of arrival.
    #[must_use]
    pub fn received(&self) -> Vec<Mail> {
        self.state.received.lock().expect("no panic").clone()
    }

    /// Names that tried to sign in.
    #[must_use]
    pub fn sign_ins(&self) -> Vec<String> {
        self.state.sign_ins.lock().expect("no panic").clone()
    }

    /// Connections that were made.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }

    /// Answers mail to that address with `code` from now on; 250 accepts it again.
    pub fn answer(&self, address: &str, code: u16) {
        let mut refused = self.state.refused.lock().expect("no panic");
        refused.retain(|(other, _)| other != address);
        refused.push((address.to_owned(), code));
    }

    /// Keeps senders to addresses with `part` waiting for an answer, until [`MailServer::go_on`].
    pub fn hold_up(&self, part: &'static str) {
        self.state.held.send_replace(Some(part));
    }

    /// Goes on with what is held up.
    pub fn go_on(&self) {
        self.state.held.send_replace(None);
    }

    /// Waits until that many mails are held up.
    ///
    /// # Panics
    /// When it never happens.
    pub async fn holds_up(&self, count: usize) {
        let mut waiting = self.state.waiting.subscribe();
        let enough = waiting.wait_for(|waiting| *waiting == count);
        tokio::time::timeout(crate::patience::patience(), enough)
            .await
            .expect("mail that is held up")
            .expect("the server holds the sender");
    }
}

async fn serve(listener: TcpListener, state: Arc<State>, manner: Manner, stop: CancellationToken) {
    let mut builder = SessionBuilder::new("mail.test");
    if let Manner::SignIn | Manner::EncryptedSignIn(_) = manner {
        builder.enable_auth(AuthMechanism::Plain);
        builder.insecure_enable_plaintext_auth();
    }
    if let Manner::Encrypted(_) | Manner::EncryptedSignIn(_) = manner {
        builder.enable_start_tls();
    }
    while let Ok((stream, _)) = listener.accept().await {
        state.connections.fetch_add(1, Ordering::Relaxed);
        let reader = Reader {
            state: Arc::clone(&state),
            recipient: String::new(),
            content: Vec::new(),
        };
        let session = builder.build(LOCALHOST, reader);
        let speaking = speak(stream, session, Arc::clone(&state), manner.clone());
        tokio::spawn(stop.clone().run_until_cancelled_owned(speaking));
    }
}

async fn speak(
    stream: TcpStream,
    mut session: Session<Reader>,
    state: Arc<State>,
    manner: Manner,
) -> io::Result<()> {
    let greeting = session.greeting().buffer()?;
    match manner {
        Manner::Open | Manner::SignIn => {
            let mut stream = BufReader::new(stream);
            stream.write_all(&greeting).await?;
            converse(&mut stream, &mut session, &state).await?;
        }
        Manner::Encrypted(tls) | Manner::EncryptedSignIn(tls) => {
            let mut stream = BufReader::new(stream);
            stream.write_all(&greeting).await?;
            if converse(&mut stream, &mut session, &state).await? == Action::UpgradeTls {
                let mut stream = BufReader::new(tls.accept(stream.into_inner()).await?);
                session.tls_active();
                converse(&mut stream, &mut session, &state).await?;
            }
        }
        Manner::EncryptedFromTheStart(tls) => {
            let mut stream = BufReader::new(tls.accept(stream).await?);
            stream.write_all(&greeting).await?;
            stream.flush().await?;
            converse(&mut stream, &mut session, &state).await?;
        }
    }
    Ok(())
}

/// Answers commands until the connection ends or is to be encrypted.
async fn converse<S>(
    stream: &mut BufReader<S>,
    session: &mut Session<Reader>,
    state: &State,
) -> io::Result<Action>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line).await? > 0 {
        let response = session.process(&line);
        if line.starts_with(b"RCPT") {
            state.wait(&String::from_utf8_lossy(&line)).await;
        }
        line.clear();
        if response.action != Action::NoReply {
            stream.write_all(&response.buffer()?).await?;
            stream.flush().await?;
        }
        if matches!(response.action, Action::Close | Action::UpgradeTls) {
            return Ok(response.action);
        }
    }
    Ok(Action::Close)
}

impl State {
    async fn wait(&self, recipient: &str) {
        let mut held = self.held.subscribe();
        let is_free = |part: &Option<&str>| part.is_none_or(|part| !recipient.contains(part));
        self.waiting.send_modify(|waiting| *waiting += 1);
        drop(held.wait_for(is_free).await);
        self.waiting.send_modify(|waiting| *waiting -= 1);
    }
}

/// Takes in the mail of one connection.
struct Reader {
    state: Arc<State>,
    recipient: String,
    content: Vec<u8>,
}

impl Handler for Reader {
    fn rcpt(&mut self, to: &str) -> Response {
        to.clone_into(&mut self.recipient);
        let answers = self.state.refused.lock().expect("no panic");
        match answers.iter().find(|(address, _)| address == to) {
            None | Some((_, 250)) => OK,
            Some((_, 550)) => NO_MAILBOX,
            Some((_, code)) => Response::custom(*code, format!("not now, {to}")),
        }
    }

    fn data(&mut self, line: &[u8]) -> io::Result<()> {
        self.content.extend_from_slice(line);
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let mail = Mail::parse(&std::mem::take(&mut self.content));
        assert_eq!(mail.to, self.recipient);
        self.state.received.lock().expect("no panic").push(mail);
        OK
    }

    fn auth_plain(&mut self, _: &str, name: &str, password: &str) -> Response {
        let mut sign_ins = self.state.sign_ins.lock().expect("no panic");
        sign_ins.push(name.to_owned());
        match password {
            "secret" => AUTH_OK,
            _ => INVALID_CREDENTIALS,
        }
    }
}
