//! Files as wholes: listed, copied, renamed, removed.

use alloc::vec::Vec;

use testbed_definitions::file::{self, TRUSTED};
use testbed_definitions::syscall::{open, Error};

use super::context::{place_of, Context, Done, Options, Stop};
use crate::number;
use crate::system::{Entry, Processor};

pub(super) fn ls(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut long, mut all) = (Options::new(words), false, false);
    while let Some(letter) = options.next() {
        match letter {
            b'l' => long = true,
            b'a' => all = true,
            b'1' => {}
            _ => return Err(Stop::Usage),
        }
    }
    let words = options.words();
    let mut shown: Vec<Entry> = Vec::new();
    let home = context.system.home();
    if words.is_empty() {
        shown = visible(context.system.list(home)?, all);
    }
    for word in words {
        let (place, name) = place_of(context.system, word);
        let listed = context.system.list(place)?;
        if name.is_empty() {
            shown.extend(visible(listed, all));
            continue;
        }
        match listed.into_iter().find(|entry| entry.name == name) {
            Some(entry) => shown.push(Entry { name: word.clone(), ..entry }),
            None => {
                context.complain(word, Error::NoFile.meaning());
                context.status = 2;
            }
        }
    }
    shown.sort_by(|one, other| one.name.cmp(&other.name));
    for entry in shown {
        if long {
            context.put(&describe(&entry))?;
        }
        context.put(&entry.name)?;
        context.put(b"\n")?;
    }
    Ok(0)
}

/// The files that have names, those that begin with a dot only if `all` are wanted.
fn visible(listed: Vec<Entry>, all: bool) -> Vec<Entry> {
    listed.into_iter().filter(|entry| !entry.name.is_empty() && (all || entry.name[0] != b'.')).collect()
}

fn describe(entry: &Entry) -> Vec<u8> {
    let letters = [(file::READ, b'r'), (file::WRITE, b'w'), (file::EXECUTE, b'x'), (file::TRUSTED, b't')];
    let mut text: Vec<u8> =
        letters.iter().map(|(bit, letter)| if entry.permissions & bit != 0 { *letter } else { b'-' }).collect();
    text.push(b' ');
    number::padded(&mut text, entry.bytes.into(), 6);
    text.push(b' ');
    text
}

/// Where a file goes that is copied to `target`: to the name itself, or to its own name on another
/// processor or this one.
fn destination(context: &Context, name: &[u8], target: &[u8]) -> (Processor, Vec<u8>) {
    let own = place_of(context.system, name).1;
    let (place, name) = match target {
        b"." => (context.system.home(), &b""[..]),
        _ => place_of(context.system, target),
    };
    (place, if name.is_empty() { own.to_vec() } else { name.to_vec() })
}

/// The files and their target; several go only where they keep their names.
fn several<'w>(context: &mut Context, words: &'w [Vec<u8>]) -> Result<(&'w [Vec<u8>], &'w [u8]), Stop> {
    let Some((target, names)) = words.split_last().filter(|(_, names)| !names.is_empty()) else {
        return Err(Stop::Usage);
    };
    let keeps = target[..] == *b"." || place_of(context.system, target).1.is_empty();
    if names.len() > 1 && !keeps {
        return context.stop(target, "several files can only go to a processor, as in `cp one two fire:`", 1);
    }
    Ok((names, target))
}

pub(super) fn cp(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let mut options = Options::new(words);
    while let Some(letter) = options.next() {
        if !matches!(letter, b'p' | b'f') {
            return Err(Stop::Usage);
        }
    }
    let (names, target) = several(context, options.words())?;
    for name in names {
        let (place, to) = destination(context, name, target);
        if let Err(error) = copy(context, name, place, &to) {
            context.complain(name, error.meaning());
        }
    }
    Ok(0)
}

/// Copies a file with its permissions. If that fails, what has been written of the copy goes, and
/// with it a file that was there under its name.
fn copy(context: &mut Context, name: &[u8], to: Processor, new: &[u8]) -> Result<(), Error> {
    let (from, old) = place_of(context.system, name);
    if (from, old) == (to, new) {
        return Err(Error::FileExists);
    }
    let listed = context.system.list(from)?;
    let entry = listed.iter().find(|entry| entry.name == old).ok_or(Error::NoFile)?;
    let source = context.system.open(from, old, open::READ)?;
    let existed = context.system.open(to, new, 0).is_ok();
    let copy = context.system.open(to, new, open::WRITE | open::CREATE | open::TRUNCATE)?;
    let (mut buffer, mut done) = (alloc::vec![0; 8 * 1024], 0);
    loop {
        let count = context.system.read_at(source, done, &mut buffer)?;
        if count == 0 {
            break;
        }
        if let Err(error) = context.system.write_at(copy, done, &buffer[..count]) {
            if !existed {
                let _ = context.system.unlink(to, new);
            }
            return Err(error);
        }
        done += count as u32;
    }
    context.system.chmod(to, new, entry.permissions & !TRUSTED)
}

pub(super) fn mv(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut forced) = (Options::new(words), true);
    while let Some(letter) = options.next() {
        match letter {
            b'f' => forced = true,
            b'n' => forced = false,
            _ => return Err(Stop::Usage),
        }
    }
    let (names, target) = several(context, options.words())?;
    for name in names {
        let (place, to) = destination(context, name, target);
        if let Err(error) = shift(context, name, place, &to, forced) {
            context.complain(name, error.meaning());
        }
    }
    Ok(0)
}

fn shift(context: &mut Context, name: &[u8], to: Processor, new: &[u8], forced: bool) -> Result<(), Error> {
    let (from, old) = place_of(context.system, name);
    if from != to {
        copy(context, name, to, new)?;
        return context.system.unlink(from, old);
    }
    let renamed = context.system.rename(from, old, new);
    if renamed != Err(Error::FileExists) || !forced || old == new {
        return renamed;
    }
    // The name that is taken goes only if the file is there that is to have it.
    context.system.open(from, old, 0)?;
    context.system.unlink(from, new)?;
    context.system.rename(from, old, new)
}

pub(super) fn rm(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut forced) = (Options::new(words), false);
    while let Some(letter) = options.next() {
        match letter {
            b'f' => forced = true,
            _ => return Err(Stop::Usage),
        }
    }
    if options.words().is_empty() && !forced {
        return Err(Stop::Usage);
    }
    for word in options.words() {
        let (place, name) = place_of(context.system, word);
        match context.system.unlink(place, name) {
            Ok(()) => {}
            Err(Error::NoFile) if forced => {}
            Err(error) => context.complain(word, error.meaning()),
        }
    }
    Ok(0)
}

pub(super) fn chmod(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mode, names) = words.split_first().ok_or(Stop::Usage)?;
    let mode = Mode::parse(mode).ok_or(Stop::Usage)?;
    if names.is_empty() {
        return Err(Stop::Usage);
    }
    for word in names {
        let (place, name) = place_of(context.system, word);
        let before = match mode.is_whole() {
            true => Ok(0),
            false => permissions_of(context, place, name),
        };
        let done = before.and_then(|before| context.system.chmod(place, name, mode.of(before)));
        if let Err(error) = done {
            context.complain(word, error.meaning());
        }
    }
    Ok(0)
}

fn permissions_of(context: &mut Context, place: Processor, name: &[u8]) -> Result<u32, Error> {
    let listed = context.system.list(place)?;
    let found = listed.iter().find(|entry| entry.name == name);
    found.map(|entry| entry.permissions & !TRUSTED).ok_or(Error::NoFile)
}

/// What is to become of permissions: those that stay are kept, and those that come are added.
struct Mode {
    stay: u32,
    come: u32,
}

impl Mode {
    /// Permissions as `ls -l` shows them, or letters of them; as POSIX adds and takes them, `+x`,
    /// `u-w`, `a=r`; or a number, of which the owner's digit counts, since a file has one owner and
    /// nobody else.
    fn parse(word: &[u8]) -> Option<Mode> {
        const ALL: u32 = file::READ | file::WRITE | file::EXECUTE;
        if let Some(come) = shown(word) {
            return Some(Mode { stay: 0, come });
        }
        if let [owner @ b'0'..=b'7', b'0'..=b'7', b'0'..=b'7'] = word {
            let bits = [(4, file::READ), (2, file::WRITE), (1, file::EXECUTE)];
            let come = bits.iter().filter(|(bit, _)| owner & bit != 0).map(|(_, permission)| permission).sum();
            return Some(Mode { stay: 0, come });
        }
        let at = word.iter().position(|byte| !b"ugoa".contains(byte)).unwrap_or(word.len());
        match word[at..].split_first() {
            Some((b'+', letters)) => Some(Mode { stay: ALL, come: permissions(letters)? }),
            Some((b'-', letters)) => Some(Mode { stay: ALL & !permissions(letters)?, come: 0 }),
            Some((b'=', letters)) => Some(Mode { stay: 0, come: permissions(letters)? }),
            _ => None,
        }
    }

    /// Whether nothing stays.
    fn is_whole(&self) -> bool {
        self.stay == 0
    }

    fn of(&self, before: u32) -> u32 {
        before & self.stay | self.come
    }
}

/// Permissions as `ls -l` shows them, `r-x-`, or without its last column, `r-x`; or letters without
/// a sign, and `-` for none. What begins with a `-` and has three letters is POSIX's.
fn shown(word: &[u8]) -> Option<u32> {
    let has_columns = word.len() == 4 || word.len() == 3 && word[0] != b'-';
    let is_listed = has_columns && word.iter().zip(b"rwxt").all(|(byte, letter)| byte == letter || *byte == b'-');
    match word {
        b"-" => Some(0),
        _ if is_listed => permissions(&word.iter().copied().filter(|byte| b"rwx".contains(byte)).collect::<Vec<_>>()),
        [] => None,
        _ => permissions(word),
    }
}

/// The permissions that letters stand for, each at most once.
fn permissions(letters: &[u8]) -> Option<u32> {
    letters.iter().try_fold(0, |all, letter| {
        let permission = match letter {
            b'r' => file::READ,
            b'w' => file::WRITE,
            b'x' => file::EXECUTE,
            _ => return None,
        };
        (all & permission == 0).then_some(all | permission)
    })
}
