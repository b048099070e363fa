//! Mail that was sent, as its reader sees it.

use std::fs;
use std::path::Path;

use mailparse::{MailHeaderMap, ParsedMail};

use crate::{App, patience::eventually};

/// A mail as it left.
#[derive(Clone, Debug)]
pub struct Mail {
    pub to: String,
    pub subject: String,
    /// The plain part.
    pub text: String,
    /// The HTML part.
    pub html: String,
    /// Everything, as it travelled.
    pub raw: String,
}

impl Mail {
    /// Reads a mail.
    ///
    /// # Panics
    /// When it is not made of a plain part and the same in HTML, in this order.
    #[must_use]
    pub fn parse(raw: &[u8]) -> Self {
        let mail = mailparse::parse_mail(raw).expect("a mail");
        assert_eq!(mail.ctype.mimetype, "multipart/alternative");
        let [plain, html] = &*mail.subparts else {
            panic!("a mail of {} parts", mail.subparts.len());
        };
        Self {
            to: header(&mail, "To"),
            subject: header(&mail, "Subject"),
            text: body(plain, "text/plain"),
            html: body(html, "text/html"),
            raw: String::from_utf8(raw.to_vec()).expect("only ASCII travels"),
        }
    }

    /// A header of the mail.
    ///
    /// # Panics
    /// When it is not there exactly once.
    #[must_use]
    pub fn header(&self, name: &str) -> String {
        let mail = mailparse::parse_mail(self.raw.as_bytes()).expect("a mail");
        header(&mail, name)
    }

    /// The code in the mail.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn code(&self) -> &str {
        let is_code = |word: &&str| word.len() == 6 && word.bytes().all(|b| b.is_ascii_digit());
        let mut words = self.text.split_whitespace();
        words.find(is_code).expect("a code in the mail")
    }

    /// The link in the mail.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn link(&self) -> &str {
        let mut words = self.text.split_whitespace();
        let link = words.find(|word| word.starts_with("http"));
        link.expect("a link in the mail")
    }
}

impl App {
    /// All mails that were sent, in the order in which they were asked for, once none is due or on its way. Those that wait for
    /// a later time are left out.
    ///
    /// # Panics
    /// When a mail cannot be sent.
    pub async fn mails(&self) -> Vec<Mail> {
        eventually("no mail waits", async || {
            let waiting: i64 =
                sqlx::query_scalar("SELECT count(*) FROM mails WHERE due_at <= $1 OR attempts > 0")
                    .bind(self.clock.now())
                    .fetch_one(self.pool())
                    .await
                    .expect("the test's database");
            (waiting == 0).then_some(())
        })
        .await;
        in_folder(self.mail_folder())
    }

    /// The newest mail to an address.
    ///
    /// # Panics
    /// When there is none.
    pub async fn mail_to(&self, address: &str) -> Mail {
        let mut mails = self.mails().await;
        mails.retain(|mail| mail.to == address);
        mails.pop().expect("a mail to the address")
    }
}

/// All mails in a folder, in the order in which they were asked for.
///
/// # Panics
/// When the folder cannot be read.
#[must_use]
pub fn in_folder(folder: &Path) -> Vec<Mail> {
    let entries = fs::read_dir(folder).expect("a folder for mail");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a folder for mail").path())
        .filter(|path| path.extension().is_some_and(|end| end == "eml"))
        .collect();
    paths.sort();
    let read = |path: &_| Mail::parse(&fs::read(path).expect("a mail"));
    paths.iter().map(read).collect()
}

fn header(mail: &ParsedMail<'_>, name: &str) -> String {
    let mut values = mail.headers.get_all_values(name);
    assert_eq!(values.len(), 1, "{name}");
    values.remove(0)
}

fn body(part: &ParsedMail<'_>, kind: &str) -> String {
    assert_eq!(part.ctype.mimetype, kind);
    assert_eq!(part.ctype.charset, "utf-8");
    part.get_body().expect("a text")
}
