//! Signatures of environments, in a tree of their own, which the releases before leave alone.
//!
//! A record has the SHA-256 of the last frame of the environment, so that one which the environment has left behind, however that
//! came about, is none. A record that is damaged is none either: the rest of the cache is not affected, and the link asks for
//! what has no signature.

use protocol::{ids::EnvId, signature::Signature};

use super::{CacheError, header::Header, record};

const TREE: &[u8] = b"signatures";

/// Opens the tree.
pub(super) fn open(db: &sled::Db) -> Result<sled::Tree, CacheError> {
    Ok(db.open_tree(TREE)?)
}

/// Replaces the signature of an environment by that of its last frame, if this one has any.
pub(super) fn write(
    tree: &sled::Tree,
    env_id: EnvId,
    header: &Header,
    signature: Option<&Signature>,
) -> Result<(), CacheError> {
    match (signature, header.last_hash()) {
        (Some(signature), Some(hash)) => {
            let record = record::encode(&(hash, *signature));
            tree.insert(env_id.uuid().as_bytes(), record)?;
            Ok(())
        }
        _ => remove(tree, env_id),
    }
}

/// Removes the signature of an environment.
pub(super) fn remove(tree: &sled::Tree, env_id: EnvId) -> Result<(), CacheError> {
    tree.remove(env_id.uuid().as_bytes())?;
    Ok(())
}

/// The signature of what is stored of an environment.
pub(super) fn read(
    tree: &sled::Tree,
    env_id: EnvId,
    header: &Header,
) -> Result<Option<Signature>, CacheError> {
    let record = tree.get(env_id.uuid().as_bytes())?;
    let read = record.and_then(|record| record::decode(&record, "a signature").ok());
    let fitting =
        read.filter(|(hash, _): &([u8; 32], Signature)| header.last_hash() == Some(*hash));
    Ok(fitting.map(|(_, signature)| signature))
}

/// Removes the signatures of all but these environments.
pub(super) fn keep_only(
    tree: &sled::Tree,
    is_stored: impl Fn(EnvId) -> bool,
) -> Result<(), CacheError> {
    for key in tree.iter().keys() {
        let key = key?;
        let id = uuid::Uuid::from_slice(&key).ok();
        if !id.is_some_and(|id| is_stored(id.into())) {
            tree.remove(key)?;
        }
    }
    Ok(())
}
