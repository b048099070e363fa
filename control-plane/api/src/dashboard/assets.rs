//! The built files, as `npm run build` left them in `control-plane/dashboard/dist`.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use axum::http::HeaderValue;
use bytes::Bytes;
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::Digest as _;
use tokio::sync::OnceCell;

use super::encoding::Encoding;
use base::blocking::blocking;

#[derive(RustEmbed)]
#[folder = "../dashboard/dist"]
struct Embedded;

/// The page that loads all other files.
const PAGE: &str = "index.html";
/// The digest of the sources of the build; not served.
const DIGEST: &str = "digest";
/// Prefix of the page's references to its files.
const BESIDE: &str = "\"./";

/// The files of this program, encoded once.
pub(super) static ASSETS: LazyLock<Assets> = LazyLock::new(Assets::embedded);

pub(super) struct Assets {
    pub(super) page: Asset,
    digest: String,
    files: HashMap<String, Asset>,
}

/// A file, and its compressed forms, made on first use.
pub(super) struct Asset {
    plain: Bytes,
    pub(super) media_type: &'static str,
    /// Hex digest of the plain file.
    hash: String,
    gzip: OnceCell<Bytes>,
    zstd: OnceCell<Bytes>,
}

/// A file as it is sent.
pub(super) struct Encoded {
    pub(super) bytes: Bytes,
    pub(super) encoding: Encoding,
    pub(super) media_type: &'static str,
}

impl Assets {
    fn embedded() -> Self {
        let get = |name: &str| Embedded::get(name).expect("the build makes a page and a digest");
        let digest = text(&get(DIGEST));
        let digest = digest.trim().to_owned();
        // The page does not contain the path under which its files are served.
        let page = text(&get(PAGE)).replace(BESIDE, &format!("\"/assets/{digest}/"));
        let files = Embedded::iter().filter(|name| !matches!(&**name, PAGE | DIGEST));
        Self {
            page: Asset::new(PAGE, page.into_bytes().into()),
            files: files
                .map(|name| {
                    let bytes = match get(&name).data {
                        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                        Cow::Owned(bytes) => bytes.into(),
                    };
                    let asset = Asset::new(&name, bytes);
                    (name.into_owned(), asset)
                })
                .collect(),
            digest,
        }
    }

    /// A file of this release.
    pub(super) fn find(&self, digest: &str, name: &str) -> Option<&Asset> {
        self.files.get(name).filter(|_| digest == self.digest)
    }
}

fn text(file: &EmbeddedFile) -> String {
    String::from_utf8_lossy(&file.data).into_owned()
}

impl Asset {
    fn new(name: &str, plain: Bytes) -> Self {
        Self {
            media_type: media_type(name),
            hash: hex::encode(&sha2::Sha256::digest(&plain)[..16]),
            plain,
            gzip: OnceCell::new(),
            zstd: OnceCell::new(),
        }
    }

    /// The file in this encoding. Concurrent callers wait for the first compression.
    pub(super) async fn in_encoding(&self, encoding: Encoding) -> Encoded {
        let kept = match encoding {
            Encoding::Plain => None,
            Encoding::Gzip => Some(&self.gzip),
            Encoding::Zstd => Some(&self.zstd),
        };
        let compress = || {
            let plain = self.plain.clone();
            blocking(move || encoding.encode(&plain))
        };
        let bytes = match kept {
            None => self.plain.clone(),
            Some(kept) => kept.get_or_init(compress).await.clone(),
        };
        Encoded {
            bytes,
            encoding,
            media_type: self.media_type,
        }
    }

    /// The strong tag of the file in this encoding (RFC 9110, section 8.8.3.3: each has its own).
    pub(super) fn etag(&self, encoding: Encoding) -> HeaderValue {
        let suffix = encoding
            .name()
            .map_or(String::new(), |name| format!("-{name}"));
        let etag = format!("\"{}{suffix}\"", self.hash);
        HeaderValue::try_from(etag).expect("digits and letters between quotes")
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json" | "webmanifest") => "application/json",
        Some("png") => "image/png",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
