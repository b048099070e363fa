//! Who issues the certificates of both ends of the link.

use std::{collections::HashMap, fs, path::Path, sync::Arc};

use fanout::{Admission, Fingerprint, ServerIdentity, fingerprint};
use protocol::wire::relay;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams,
    ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth},
    IsCa, Issuer, KeyPair, PKCS_ED25519, SerialNumber,
};
use rustls::RootCertStore;
use rustls_pki_types::PrivateKeyDer;

/// The name in the certificates of control planes.
pub(crate) const SERVER_NAME: &str = "halyard-control";

/// A certificate with its key.
#[derive(Debug)]
struct Pair {
    certificate: Certificate,
    key: KeyPair,
}

#[derive(Debug)]
pub(crate) struct Authority {
    own: Certificate,
    server: Pair,
    edges: HashMap<String, Pair>,
    admitted: Arc<HashMap<Fingerprint, Admission>>,
}

impl Authority {
    /// Knows edges by their names, and which of them are relays.
    pub(crate) fn new(names: &[(&str, bool)]) -> Self {
        let mut params = params(&[], 1);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = key();
        let own = params.self_signed(&key).unwrap();
        let issuer = Issuer::from_params(&params, &key);
        let issue = |names: &[&str], serial| {
            let key = self::key();
            let certificate = self::params(names, serial)
                .signed_by(&key, &issuer)
                .unwrap();
            Pair { certificate, key }
        };
        let server = issue(&[SERVER_NAME], 2);
        let (mut edges, mut admitted) = (HashMap::new(), HashMap::new());
        for (serial, (name, is_relay)) in (3..).zip(names) {
            let all = [name, relay::SERVER_NAME];
            let pair = issue(if *is_relay { &all } else { &all[..1] }, serial);
            let admission = Admission {
                name: (*name).to_owned(),
                region: None,
                is_relay: *is_relay,
            };
            admitted.insert(fingerprint(pair.certificate.der()), admission);
            edges.insert((*name).to_owned(), pair);
        }
        Self {
            own,
            server,
            edges,
            admitted: Arc::new(admitted),
        }
    }

    /// The edges that may connect.
    pub(crate) fn admitted(&self) -> Arc<HashMap<Fingerprint, Admission>> {
        Arc::clone(&self.admitted)
    }

    /// What a control plane shows.
    pub(crate) fn server(&self) -> ServerIdentity {
        let mut roots = RootCertStore::empty();
        roots.add(self.own.der().clone()).unwrap();
        ServerIdentity {
            chain: vec![self.server.certificate.der().clone()],
            key: PrivateKeyDer::try_from(self.server.key.serialize_der()).unwrap(),
            roots,
        }
    }

    /// Writes the identity of an edge.
    pub(crate) fn enroll(&self, name: &str, folder: &Path) {
        let Pair { certificate, key } = &self.edges[name];
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("ca.pem"), self.own.pem()).unwrap();
        fs::write(folder.join("edge.pem"), certificate.pem()).unwrap();
        fs::write(folder.join("edge.key"), key.serialize_pem()).unwrap();
    }
}

/// Its signatures all have the same length.
fn key() -> KeyPair {
    KeyPair::generate_for(&PKCS_ED25519).unwrap()
}

fn params(names: &[&str], serial: u64) -> CertificateParams {
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.serial_number = Some(SerialNumber::from(serial));
    params.extended_key_usages = vec![ClientAuth, ServerAuth];
    params
}
