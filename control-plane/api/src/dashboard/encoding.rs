//! Content encodings that a client accepts (RFC 9110, section 12.5.3).

use std::io::Write;

use axum::http::{HeaderMap, header::ACCEPT_ENCODING};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Plain,
    Gzip,
    Zstd,
}

impl Encoding {
    /// The best that the client accepts; none without the header.
    pub(super) fn accepted(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(ACCEPT_ENCODING).iter();
        let lines = lines.filter_map(|line| line.to_str().ok());
        let accepted: Vec<_> = lines
            .flat_map(|line| line.split(','))
            .filter_map(|coding| {
                let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
                is_wanted(parameters).then(|| name.trim().to_ascii_lowercase())
            })
            .collect();
        let accepts = |name: &str| accepted.iter().any(|accepted| accepted == name);
        if accepts("zstd") {
            Self::Zstd
        } else if accepts("gzip") {
            Self::Gzip
        } else {
            Self::Plain
        }
    }

    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }

    /// Compresses more than by default: files are compressed once and served to all clients.
    pub(super) fn encode(self, plain: &Bytes) -> Bytes {
        const IN_MEMORY: &str = "memory takes whatever is written";
        match self {
            Self::Plain => plain.clone(),
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(plain).expect(IN_MEMORY);
                encoder.finish().expect(IN_MEMORY).into()
            }
            Self::Zstd => zstd::encode_all(&plain[..], 15).expect(IN_MEMORY).into(),
        }
    }
}

/// Whether the weight is not zero. Invalid weights are ignored.
fn is_wanted(parameters: &str) -> bool {
    let weight = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_weight = name.trim().eq_ignore_ascii_case("q");
        is_weight.then(|| value.trim().parse::<f32>().ok())?
    });
    weight.is_none_or(|weight| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(lines: &[&'static str]) -> Encoding {
        let lines = lines
            .iter()
            .map(|line| (ACCEPT_ENCODING, line.parse().unwrap()));
        Encoding::accepted(&lines.collect())
    }

    #[test]
    fn the_best_that_is_accepted_is_chosen() {
        for (lines, encoding) in [
            (&[][..], Encoding::Plain),
            (&["gzip, deflate, br, zstd"], Encoding::Zstd),
            (&["gzip, deflate, br"], Encoding::Gzip),
            (&["br", "GZIP;q=0.5"], Encoding::Gzip),
            (&["zstd;q=0, gzip;q=0.000"], Encoding::Plain),
            (&["zstd; Q=0 , gzip"], Encoding::Gzip),
            (&["identity"], Encoding::Plain),
            (&["gzip;q=much"], Encoding::Gzip),
        ] {
            assert_eq!(accepted(lines), encoding, "{lines:?}");
        }
    }
}
