//! A provider in the tests' own process, which says and signs whatever a test wants.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use aws_lc_rs::{
    encoding::AsDer,
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
        RSA_PSS_SHA256, RsaKeyPair,
    },
};
use axum::{
    Form, Json, Router,
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use data_encoding::{BASE64, BASE64URL_NOPAD};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value, json};
use serving::clock::Clock;
use sha2::{Digest, Sha256};
use tokio_util::task::AbortOnDropHandle;
use url::Url;

pub const CLIENT: &str = "halyard";
pub const SECRET: &str = "s3cret of +the client/";

/// How a token is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alg {
    Es256,
    Rs256,
    Ps256,
    EdDsa,
    None,
    /// By the public key as the secret.
    Hs256,
}

enum Pair {
    Ec(EcdsaKeyPair),
    Rsa(RsaKeyPair),
    Ed(Ed25519KeyPair),
}

struct Key {
    kid: String,
    pair: Pair,
}

/// What the token endpoint does instead of answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    Slow,
    Huge,
    Redirect(String),
    Error,
}

struct Asked {
    nonce: String,
    challenge: String,
    redirect_uri: String,
}

#[derive(Default)]
struct Says {
    keys: Vec<Key>,
    /// The key and the algorithm that sign; the first key when absent.
    signs: Option<(usize, Alg)>,
    /// Over those of the header, the token, the document and the user info; `null` takes a member away.
    header: Map<String, Value>,
    claims: Map<String, Value>,
    document: Map<String, Value>,
    user_info: Option<Value>,
    trouble: Option<Trouble>,
    asked: HashMap<String, Asked>,
    key_requests: usize,
}

struct Shared {
    says: Mutex<Says>,
    clock: Clock,
    issuer: String,
}

/// A running provider.
pub struct Peer {
    shared: Arc<Shared>,
    _task: AbortOnDropHandle<()>,
}

fn ec(kid: &str) -> Key {
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("a key");
    Key {
        kid: kid.to_owned(),
        pair: Pair::Ec(pair),
    }
}

impl Peer {
    /// One with an EC key, whose time is the test's.
    pub async fn start(clock: Clock) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let says = Says {
            keys: vec![ec("one")],
            ..Says::default()
        };
        let shared = Arc::new(Shared {
            says: Mutex::new(says),
            clock,
            issuer,
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(document))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/me", get(user_info))
            .with_state(Arc::clone(&shared));
        Self {
            _task: AbortOnDropHandle::new(tokio::spawn(async move {
                axum::serve(listener, router).await.expect("a server");
            })),
            shared,
        }
    }

    fn says(&self) -> MutexGuard<'_, Says> {
        self.shared.says()
    }

    pub fn issuer(&self) -> &str {
        &self.shared.issuer
    }

    /// What the next tokens say.
    pub fn claim(&self, claims: Value) {
        merge(&mut self.says().claims, &claims);
    }

    pub fn header(&self, header: Value) {
        merge(&mut self.says().header, &header);
    }

    pub fn document(&self, document: Value) {
        merge(&mut self.says().document, &document);
    }

    pub fn user_info(&self, claims: Value) {
        self.says().user_info = Some(claims);
    }

    pub fn trouble(&self, trouble: Option<Trouble>) {
        self.says().trouble = trouble;
    }

    /// Signs with a key of the algorithm's kind, which is published too.
    pub fn sign(&self, alg: Alg) {
        let mut says = self.says();
        let pair = match alg {
            Alg::Es256 | Alg::None | Alg::Hs256 => {
                says.signs = Some((0, alg));
                return;
            }
            Alg::Rs256 | Alg::Ps256 => {
                Pair::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).expect("a key"))
            }
            Alg::EdDsa => Pair::Ed(Ed25519KeyPair::generate().expect("a key")),
        };
        let kid = format!("{alg:?}");
        says.keys.push(Key { kid, pair });
        says.signs = Some((says.keys.len() - 1, alg));
    }

    /// Replaces all keys by one with this id.
    pub fn rotate(&self, kid: &str) {
        self.says().keys = vec![ec(kid)];
    }

    /// How often the keys were fetched.
    pub fn key_requests(&self) -> usize {
        self.says().key_requests
    }

    /// Somebody consents: returns code and state.
    pub fn authorize(&self, redirect_url: &str) -> (String, String) {
        let url = Url::parse(redirect_url).expect("an address");
        let query: HashMap<_, _> = url.query_pairs().into_owned().collect();
        assert_eq!(query["response_type"], "code");
        assert_eq!(query["client_id"], CLIENT);
        assert_eq!(query["scope"], "openid email profile");
        assert_eq!(query["code_challenge_method"], "S256");
        let asked = Asked {
            nonce: query["nonce"].clone(),
            challenge: query["code_challenge"].clone(),
            redirect_uri: query["redirect_uri"].clone(),
        };
        let code = format!("code-{}", uuid::Uuid::new_v4().simple());
        self.says().asked.insert(code.clone(), asked);
        (code, query["state"].clone())
    }
}

impl Shared {
    fn says(&self) -> MutexGuard<'_, Says> {
        self.says.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn merge(into: &mut Map<String, Value>, more: &Value) {
    for (name, value) in more.as_object().expect("members") {
        into.insert(name.clone(), value.clone());
    }
}

/// The value, with members replaced or, by `null`, taken away.
fn with(mut value: Value, over: &Map<String, Value>) -> Value {
    let members = value.as_object_mut().expect("members");
    for (name, value) in over {
        if value.is_null() {
            members.remove(name);
        } else {
            members.insert(name.clone(), value.clone());
        }
    }
    value
}

async fn document(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let issuer = &shared.issuer;
    let document = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/auth"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "userinfo_endpoint": format!("{issuer}/me"),
    });
    Json(with(document, &shared.says().document))
}

async fn keys(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let mut says = shared.says();
    says.key_requests += 1;
    let keys: Vec<_> = says.keys.iter().map(published).collect();
    Json(json!({"keys": keys}))
}

fn published(key: &Key) -> Value {
    let text = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
    match &key.pair {
        Pair::Ec(pair) => {
            let point = pair.public_key().as_ref();
            json!({"kty": "EC", "crv": "P-256", "use": "sig", "kid": key.kid,
                   "x": text(&point[1..33]), "y": text(&point[33..])})
        }
        Pair::Rsa(pair) => {
            let public = pair.public_key();
            json!({"kty": "RSA", "use": "sig", "kid": key.kid,
                   "n": text(public.modulus().big_endian_without_leading_zero()),
                   "e": text(public.exponent().big_endian_without_leading_zero())})
        }
        Pair::Ed(pair) => {
            json!({"kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": key.kid,
                   "x": text(pair.public_key().as_ref())})
        }
    }
}

async fn user_info(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    assert_eq!(headers[header::AUTHORIZATION], "Bearer opaque");
    let says = shared.says();
    let claims = says.user_info.clone();
    Json(claims.unwrap_or_else(|| json!({"sub": "subject-of-ada"}))).into_response()
}

async fn token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> Response {
    let trouble = shared.says().trouble.clone();
    match trouble {
        None => {}
        Some(Trouble::Slow) => std::future::pending().await,
        Some(Trouble::Huge) => {
            return Body::from(vec![b' '; 1024 * 1024]).into_response();
        }
        Some(Trouble::Redirect(to)) => {
            return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response();
        }
        Some(Trouble::Error) => return StatusCode::BAD_REQUEST.into_response(),
    }
    // Both encoded as in a form (RFC 6749, 2.3.1).
    let secret: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    let expected = BASE64.encode(format!("{CLIENT}:{secret}").as_bytes());
    assert_eq!(headers[header::AUTHORIZATION], format!("Basic {expected}"));
    assert_eq!(form["grant_type"], "authorization_code");
    let mut says = shared.says();
    let Some(asked) = says.asked.remove(&form["code"]) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let challenge = BASE64URL_NOPAD.encode(&Sha256::digest(form["code_verifier"].as_bytes()));
    if challenge != asked.challenge || form["redirect_uri"] != asked.redirect_uri {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let now = shared.clock.now().unix_timestamp();
    let claims = json!({
        "iss": shared.issuer,
        "sub": "subject-of-ada",
        "aud": CLIENT,
        "iat": now,
        "exp": now + 300,
        "nonce": asked.nonce,
        "email": "ada@acme.test",
        "email_verified": true,
        "name": "Ada Lovelace",
    });
    let claims = with(claims, &says.claims);
    let token = signed(&says, &claims);
    Json(json!({"access_token": "opaque", "token_type": "Bearer", "id_token": token}))
        .into_response()
}

fn signed(says: &Says, claims: &Value) -> String {
    let (index, alg) = says.signs.unwrap_or((0, Alg::Es256));
    let key = &says.keys[index];
    let name = match alg {
        Alg::Es256 => "ES256",
        Alg::Rs256 => "RS256",
        Alg::Ps256 => "PS256",
        Alg::EdDsa => "EdDSA",
        Alg::None => "none",
        Alg::Hs256 => "HS256",
    };
    let header = with(json!({"alg": name, "kid": key.kid}), &says.header);
    let text = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let message = format!("{}.{}", text(&header), text(claims));
    let bytes = message.as_bytes();
    let random = SystemRandom::new();
    let signature = match (alg, &key.pair) {
        (Alg::None, _) => Vec::new(),
        (Alg::Hs256, Pair::Ec(pair)) => {
            let public = pair.public_key().as_der().expect("a public key");
            let mut mac = Hmac::<Sha256>::new_from_slice(public.as_ref()).expect("a key");
            mac.update(bytes);
            mac.finalize().into_bytes().to_vec()
        }
        (_, Pair::Ec(pair)) => {
            let signature = pair.sign(&random, bytes).expect("a signature");
            signature.as_ref().to_vec()
        }
        (alg, Pair::Rsa(pair)) => {
            let mut signature = vec![0; pair.public_modulus_len()];
            let way = if alg == Alg::Ps256 {
                pair.sign(&RSA_PSS_SHA256, &random, bytes, &mut signature)
            } else {
                pair.sign(&RSA_PKCS1_SHA256, &random, bytes, &mut signature)
            };
            way.expect("a signature");
            signature
        }
        (_, Pair::Ed(pair)) => pair.sign(bytes).as_ref().to_vec(),
    };
    format!("{message}.{}", BASE64URL_NOPAD.encode(&signature))
}
