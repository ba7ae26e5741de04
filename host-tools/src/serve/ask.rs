//! What a page can ask for, and what it gets.

use std::path::PathBuf;

/// Bytes that are typed by one request, at most.
pub const TYPED_MAX: usize = 64 << 10;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    Page,
    State(Known),
    /// A file of the run's folder, or one that is made of it.
    File(String),
    /// Types these bytes at the machine's console.
    Give(Vec<u8>),
    /// Ends the run.
    End,
    /// Draws the last so many milliseconds of the machine's time; `None`: all of the run.
    Draw(Option<u64>),
}

/// What a page has already, so that it gets no more than what is new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The run that it shows.
    pub run: Option<String>,
    /// How much of what was printed it has: a place in a file.
    pub printed: u64,
    /// What it has drawn last.
    pub drawn: Option<String>,
}

/// What the run answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Json(Vec<u8>),
    Done,
    /// The folder of the run, which has begun.
    Folder(PathBuf),
    /// It can't be done; why.
    Refused(String),
}

/// Why nothing can be made of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAsk {
    /// Nothing has this name.
    Unknown,
    /// It is there, but not for this method.
    Method,
    /// A part of it can't be read.
    Wrong,
}

impl Ask {
    /// What a request asks for by its address behind the token; `body` is what it brings, if it is
    /// one that changes something.
    ///
    /// # Errors
    /// It asks for nothing that there is.
    pub fn read(path: &str, body: Option<Vec<u8>>) -> Result<Self, NoAsk> {
        let (name, query) = path.split_once('?').unwrap_or((path, ""));
        let fields = || query.split('&').filter_map(|field| field.split_once('='));
        let field = |wanted: &str| fields().find(|(name, value)| *name == wanted && !value.is_empty());
        let field = |wanted: &str| field(wanted).map(|(_, value)| value);
        let number = |wanted: &str| field(wanted).map(|text| text.parse().map_err(|_| NoAsk::Wrong)).transpose();
        match (name, body) {
            ("", None) => Ok(Ask::Page),
            ("state", None) => Ok(Ask::State(Known {
                run: field("run").map(String::from),
                printed: number("printed")?.unwrap_or(0),
                drawn: field("drawn").map(String::from),
            })),
            ("give", Some(bytes)) => Ok(Ask::Give(bytes)),
            ("end", Some(_)) => Ok(Ask::End),
            ("draw", Some(_)) if field("last") == Some("all") => Ok(Ask::Draw(None)),
            ("draw", Some(_)) => Ok(Ask::Draw(Some(number("last")?.filter(|last| *last > 0).ok_or(NoAsk::Wrong)?))),
            (name, None) if name.starts_with("file/") => Ok(Ask::File(name["file/".len()..].into())),
            ("" | "state" | "give" | "end" | "draw", _) => Err(NoAsk::Method),
            (name, Some(_)) if name.starts_with("file/") => Err(NoAsk::Method),
            _ => Err(NoAsk::Unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let get = |path| Ask::read(path, None);
        let post = |path| Ask::read(path, Some(b"ls\n".to_vec()));
        assert_eq!(get(""), Ok(Ask::Page));
        assert_eq!(get("state"), Ok(Ask::State(Known::default())));
        let known = Known { run: Some("7.0".into()), printed: 12, drawn: Some("a-b".into()) };
        assert_eq!(get("state?run=7.0&printed=12&drawn=a-b"), Ok(Ask::State(known)));
        assert_eq!(get("state?run=&printed=&drawn="), Ok(Ask::State(Known::default())));
        assert_eq!(get("file/mmi.raw"), Ok(Ask::File("mmi.raw".into())));
        assert_eq!(post("give"), Ok(Ask::Give(b"ls\n".to_vec())));
        assert_eq!((post("end"), post("draw?last=all")), (Ok(Ask::End), Ok(Ask::Draw(None))));
        assert_eq!(post("draw?last=250"), Ok(Ask::Draw(Some(250))));
        for path in ["state?printed=x", "state?printed=-1"] {
            assert_eq!(get(path), Err(NoAsk::Wrong), "{path}");
        }
        for path in ["draw", "draw?last=0", "draw?last=1e9", "draw?last=99999999999999999999"] {
            assert_eq!(post(path), Err(NoAsk::Wrong), "{path}");
        }
        for wrong in [get("give"), get("end"), get("draw?last=1"), post(""), post("state"), post("file/x")] {
            assert_eq!(wrong, Err(NoAsk::Method));
        }
        for unknown in [get("favicon.ico"), get("../x"), post("x")] {
            assert_eq!(unknown, Err(NoAsk::Unknown));
        }
    }
}
