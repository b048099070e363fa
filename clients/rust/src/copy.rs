//! The local copy: a file from which a client starts where there is no network.
//!
//! A line that names the format, SHA-256 of what follows it, the signature of what is held if there is one (a byte, 1, and the
//! signature, or 0), and the frames that lead to that. The file is replaced as a whole, so that it is always one that was written
//! completely; what is damaged otherwise is not used.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use protocol::{
    eval::Environment,
    snapshot::Snapshot,
    wire::{
        codec, frame,
        merge::Damaged,
        sdk,
        signed::{self, SIGNATURE},
    },
};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::{sync::watch, task::spawn_blocking, time::sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    error::FileError,
    frames::{self, Frames},
    pins::Unsigned,
};

/// How a file in this format begins.
const BEGINNING: &[u8] = b"halyard sdk copy 1\n";
const DIGEST: usize = 32;
/// The longest file that is read: a whole environment and its changes.
const LIMIT: usize = 2 * signed::LONGEST;
/// The file is written so often at most.
const PAUSE: Duration = Duration::from_secs(1);

/// Why there is nothing to start from.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CopyError {
    /// There is no file that could be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is not what was written.
    #[error("it is {0}")]
    Damaged(#[from] Damaged),
    /// It is not what is pinned.
    #[error("its contents are {0}")]
    Unsigned(#[from] Unsigned),
}

/// What a file holds.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(crate) environment: Environment,
    pub(crate) frames: Frames,
    pub(crate) written_at: SystemTime,
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Copy, CopyError> {
    let file = File::open(path)?;
    let written_at = file.metadata()?.modified()?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(LIMIT).unwrap_or(u64::MAX);
    file.take(limit).read_to_end(&mut bytes)?;
    let (environment, frames) = parse(bytes.into())?;
    Ok(Copy {
        environment,
        frames,
        written_at,
    })
}

/// The contents of a file.
pub(crate) fn bytes(frames: &Frames) -> Vec<u8> {
    let signature = codec::encode(&frames.signature());
    let mut hash = Sha256::new_with_prefix(&signature);
    frames.iter().for_each(|frame| hash.update(frame));
    let mut bytes = [BEGINNING, &hash.finalize(), &signature].concat();
    frames
        .iter()
        .for_each(|frame| bytes.extend_from_slice(frame));
    bytes
}

/// Reads the contents of a file.
pub(crate) fn parse(mut bytes: Bytes) -> Result<(Environment, Frames), Damaged> {
    if !bytes.starts_with(BEGINNING) {
        return Err(Damaged("not a copy in a format that is known here"));
    }
    let body = bytes.split_off(BEGINNING.len());
    let (digest, _) = body
        .split_first_chunk::<DIGEST>()
        .ok_or(Damaged("cut off"))?;
    let found: [u8; DIGEST] = Sha256::digest(body.get(DIGEST..).unwrap_or_default()).into();
    if found != *digest {
        return Err(Damaged("contents with another checksum"));
    }
    let body = body.slice(DIGEST..);
    let length = if body.first() == Some(&1) {
        1 + SIGNATURE
    } else {
        1
    };
    let (signature, _) = body.split_at_checked(length).ok_or(Damaged("cut off"))?;
    let signature = codec::decode(signature).map_err(|_| Damaged("a signature"))?;
    let frames = Frames::parse(body.slice(length..), signature)?;
    let environment = frames::prepare(&frames.merged()?)?;
    Ok((environment, frames))
}

/// Replaces a file, which thereafter has all of it or is what it was.
pub(crate) fn write(path: &Path, frames: &Frames) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(&bytes(frames))?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Writes an environment to a file that clients start from ([`Client::from_snapshot_file`](crate::Client::from_snapshot_file) and
/// [`Builder::local_copy`](crate::Builder::local_copy)), with the folder that it is in. The file is replaced as a whole.
///
/// # Errors
/// When the contents are none that an environment can have, or the file cannot be written.
pub fn write_snapshot_file(path: impl AsRef<Path>, snapshot: Snapshot) -> Result<(), FileError> {
    let path = path.as_ref();
    one(snapshot)
        .and_then(|frames| Ok(write(path, &frames)?))
        .map_err(|why| FileError::new(path, &why))
}

fn one(snapshot: Snapshot) -> Result<Frames, CopyError> {
    let push = sdk::snapshot(snapshot);
    frames::prepare(&push)?;
    let frame = frame::encode(&push).map_err(|_| Damaged("too large"))?;
    Ok(Frames::new(frame.into(), None))
}

/// Writes whatever is new, until nobody has anything new to write.
pub(crate) async fn keep(
    path: PathBuf,
    mut news: watch::Receiver<Option<Frames>>,
    stop: CancellationToken,
) {
    let mut is_well = true;
    while news.changed().await.is_ok() {
        let Some(frames) = news.borrow_and_update().clone() else {
            continue;
        };
        let target = path.clone();
        let written = spawn_blocking(move || write(&target, &frames)).await;
        match written.map_err(io::Error::other).flatten() {
            Ok(()) => is_well = true,
            Err(why) if is_well => {
                is_well = false;
                tracing::warn!(path = %path.display(), %why, "the local copy cannot be written");
            }
            Err(_) => {}
        }
        stop.run_until_cancelled(sleep(PAUSE)).await;
    }
}

#[cfg(test)]
mod tests {
    use protocol::{
        digest,
        signature::{KeyId, Signature},
        snapshot::{Delta, Flag, Head},
        wire::message::Push,
    };

    use super::*;

    /// The signature of a version, as far as this file looks at it.
    fn signature(version: u8) -> Signature {
        Signature {
            key: KeyId([version; 8]),
            signed_at_ms: i64::from(version),
            keys: [version; 32],
            bytes: [version; 64],
        }
    }

    /// An environment, and so many changes of it.
    fn frames(changes: u8) -> Frames {
        made(changes, |_| None)
    }

    /// The same, signed.
    fn signed(changes: u8) -> Frames {
        made(changes, |version| Some(signature(version)))
    }

    fn made(changes: u8, sign: impl Fn(u8) -> Option<Signature>) -> Frames {
        let mut snapshot = Snapshot {
            flags: vec![Flag {
                key: "flag".to_owned(),
                default_value: "0".to_owned(),
                ..Flag::default()
            }],
            ..Snapshot::default()
        };
        let whole = frame::encode(&sdk::snapshot(snapshot.clone())).unwrap();
        let mut frames = Frames::new(whole.into(), sign(0));
        for number in 1..=changes {
            let version = number.into();
            snapshot.head.version = version;
            snapshot.flags[0].default_value = version.to_string();
            let delta = Push::Delta(Delta {
                head: Head {
                    version,
                    ..Head::default()
                },
                base: version - 1,
                digest: digest::of(&snapshot),
                flags: snapshot.flags.clone(),
                ..Delta::default()
            });
            frames.push(frame::encode(&delta).unwrap().into(), sign(number));
        }
        frames
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below").join("flags");
        for changes in [0, 1, 70] {
            for (frames, by) in [
                (frames(changes), None),
                (signed(changes), Some(signature(changes))),
            ] {
                write(&path, &frames).unwrap();
                let copy = read(&path).unwrap();
                assert_eq!(copy.environment.head().version, u64::from(changes));
                assert_eq!(copy.frames.signature(), by.as_ref());
                let one = copy.frames.as_one().unwrap();
                write(&path, &one).unwrap();
                let copy = read(&path).unwrap();
                assert_eq!(copy.environment.head().version, u64::from(changes));
                assert_eq!(copy.frames.signature(), by.as_ref());
            }
        }
        let files = fs::read_dir(path.parent().unwrap()).unwrap();
        assert_eq!(files.count(), 1, "nothing is left beside it");
    }

    #[test]
    fn changes_become_one_with_what_they_follow_before_they_are_many() {
        assert!(!frames(60).are_many());
        assert!(frames(65).are_many());
        assert!(!frames(65).as_one().unwrap().are_many());
    }

    #[test]
    fn a_file_that_is_cut_off_anywhere_is_not_used() {
        for frames in [frames(2), signed(2)] {
            let bytes = Bytes::from(bytes(&frames));
            assert!(parse(bytes.clone()).is_ok());
            for length in 0..bytes.len() {
                assert!(parse(bytes.slice(..length)).is_err(), "{length} bytes");
            }
            let longer = [&bytes[..], b"x"].concat();
            assert!(parse(longer.into()).is_err());
        }
    }

    #[test]
    fn a_file_with_any_flipped_bit_is_not_used() {
        for bytes in [bytes(&frames(2)), bytes(&signed(2))] {
            for place in 0..bytes.len() {
                for bit in 0..8 {
                    let mut flipped = bytes.clone();
                    flipped[place] ^= 1 << bit;
                    assert!(parse(flipped.into()).is_err(), "bit {bit} of byte {place}");
                }
            }
        }
    }

    #[test]
    fn a_signature_is_all_there_or_not_at_all_also_with_the_right_checksum() {
        let with = |signature: &[u8]| {
            let frames = frames(1);
            let all: Vec<_> = frames.iter().map(|frame| &frame[..]).collect();
            let body = [signature, &all.concat()].concat();
            let parts = [b"halyard sdk copy 1\n", &Sha256::digest(&body)[..], &body];
            parse(parts.concat().into()).map(|(_, frames)| frames.signature().copied())
        };
        let whole = [&[1][..], &codec::encode(&signature(9))].concat();
        assert_eq!(whole.len(), 113);
        assert_eq!(with(&[0]), Ok(None));
        assert_eq!(with(&whole), Ok(Some(signature(9))));
        for length in [0, 1, 64, 112] {
            assert!(with(&whole[..length]).is_err(), "{length} bytes");
        }
        for other in [2, 255] {
            assert!(with(&[other]).is_err(), "{other}");
            assert!(with(&[&[other], &whole[1..]].concat()).is_err(), "{other}");
        }
        assert!(with(&[&[0], &whole[1..]].concat()).is_err());
    }

    #[test]
    fn frames_that_do_not_follow_each_other_are_not_used_also_with_the_right_checksum() {
        let frames = frames(3);
        let all: Vec<_> = frames.iter().cloned().collect();
        for missing in 0..3 {
            let mut some = all.clone();
            some.remove(missing);
            let mut gap = Frames::new(some.remove(0), None);
            some.into_iter().for_each(|frame| gap.push(frame, None));
            assert!(parse(bytes(&gap).into()).is_err(), "without {missing}");
        }
        let nothing = Frames::parse(Bytes::new(), None).unwrap();
        assert!(parse(bytes(&nothing).into()).is_err());
    }
}
