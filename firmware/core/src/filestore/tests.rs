use super::*;

fn name(text: &str) -> Name {
    padded(text.as_bytes()).unwrap()
}

#[test]
fn names_are_checked() {
    for bad in [&b""[..], b"a b", b"a/b", b"\0", b"\x7f", &[b'a'; NAME_BYTES + 1], b"\xc3\xa4"] {
        assert_eq!(padded(bad), Err(Error::BadName), "{bad:?}");
    }
    assert_eq!(padded(&[b'a'; NAME_BYTES]), Ok([b'a'; NAME_BYTES]));
}

#[test]
fn as_many_files_as_there_are_places() {
    let mut store = Filestore::new();
    for index in 0..FILES {
        let name = [b'a' + index as u8 / 26, b'a' + index as u8 % 26];
        assert_eq!(store.create(&padded(&name).unwrap(), READ, 1), Ok(index));
    }
    assert_eq!(store.create(&name("one.more"), READ, 1), Err(Error::TooManyFiles));
    assert_eq!(store.create(&name("aa"), READ, 1), Err(Error::FileExists));
}

#[test]
fn permissions() {
    let mut store = Filestore::new();
    let index = store.create(&name("file"), READ | WRITE, 1).unwrap();
    assert_eq!(store.open(b"none", open::READ), Err(Error::NoFile));
    assert_eq!(store.open(b"none", open::CREATE | open::WRITE), Ok(Opening::Missing));
    assert_eq!(store.open(b"file", open::READ | open::WRITE), Ok(Opening::Found(index)));
    let handle = store.handle(index);
    store.extend(index, 10);
    assert_eq!(store.reading(handle, 3, 100), Ok((index, 7)));
    assert_eq!(store.reading(handle, u32::MAX, 100), Ok((index, 0)));
    assert_eq!(store.writing(handle, FILE_BYTES as u32 - 1, 2), Ok((index, 1)));
    assert_eq!(store.writing(handle, FILE_BYTES as u32, 1), Err(Error::FileTooLarge));
    store.chmod(b"file", READ).unwrap();
    assert_eq!(store.writing(handle, 0, 1), Err(Error::NoPermission));
    assert_eq!(store.open(b"file", open::TRUNCATE), Err(Error::NoPermission));
    assert_eq!(store.unlink(b"file"), Err(Error::NoPermission));
    assert_eq!(store.executable(index), Err(Error::NoPermission));
    store.chmod(b"file", WRITE).unwrap();
    assert_eq!(store.reading(handle, 0, 1), Err(Error::NoPermission));
    assert_eq!(store.open(b"file", open::READ), Err(Error::NoPermission));
    assert_eq!(store.chmod(b"file", TRUSTED), Err(Error::NoPermission));
}

#[test]
fn handles_are_good_on_one_processor() {
    let [mut one, mut other] = [Filestore::new(), Filestore::new()];
    one.start(Processor::new(1));
    other.start(Processor::new(15));
    let [here, there] = [&mut one, &mut other].map(|store| {
        let index = store.create(&name("file"), READ | WRITE, 1).unwrap();
        store.handle(index)
    });
    assert!(here as i32 > 0 && there as i32 > 0, "a negative one would be an error");
    assert_eq!(one.reading(here, 0, 0), Ok((0, 0)));
    assert_eq!(other.writing(there, 0, 1), Ok((0, 1)));
    // Of files with the same place and generation.
    assert_eq!(one.reading(there, 0, 0), Err(Error::NotHere));
    assert_eq!(other.writing(here, 0, 1), Err(Error::NotHere));
    assert_eq!(one.writing(u32::MAX, 0, 1), Err(Error::NotHere));
}

#[test]
fn what_runs_stays_as_it_is() {
    let mut store = Filestore::new();
    let index = store.create(&name("program"), READ | WRITE | EXECUTE | TRUSTED, 1).unwrap();
    let handle = store.handle(index);
    store.add_user(index);
    store.add_user(index);
    assert_eq!(store.writing(handle, 0, 1), Err(Error::NoPermission));
    assert_eq!(store.open(b"program", open::TRUNCATE), Err(Error::NoPermission));
    assert_eq!(store.get(index).permissions & TRUSTED, TRUSTED);
    assert_eq!(store.unlink(b"program"), Ok(None));
    assert_eq!(store.unlink(b"program"), Err(Error::NoFile));
    assert_eq!(store.reading(handle, 0, 1), Err(Error::NoFile));
    // Its place is not given to others meanwhile.
    assert_ne!(store.create(&name("program"), READ, 1), Ok(index));
    assert!(!store.remove_user(index));
    assert!(store.remove_user(index));
    store.free(index);
    assert_eq!(store.create(&name("next"), READ, 1), Ok(index));
    assert_eq!(store.reading(handle, 0, 1), Err(Error::NoFile), "the handle of another file");
}

#[test]
fn who_writes_a_program_makes_it_untrusted() {
    let mut store = Filestore::new();
    let index = store.create(&name("program"), READ | WRITE | TRUSTED, 1).unwrap();
    store.writing(store.handle(index), 0, 1).unwrap();
    assert_eq!(store.get(index).permissions, READ | WRITE);
}

#[test]
fn a_mounted_file_goes_with_its_last_user() {
    let mut store = Filestore::new();
    let index = store.create(&Name::default(), READ | EXECUTE, 1).unwrap();
    assert_eq!(store.find(&Name::default()), None, "until it is whole nobody finds it");
    assert_eq!(store.open(b"program", open::READ), Err(Error::NoFile));
    store.mount(index, &name("program")).unwrap();
    assert_eq!(store.find(&name("program")), Some(index));
    store.add_user(index);
    store.add_user(index);
    assert!(!store.remove_user(index));
    assert!(store.remove_user(index));
    let other = store.create(&Name::default(), READ | EXECUTE, 1).unwrap();
    assert_eq!(store.mount(other, &name("program")), Err(Error::FileExists));
}

#[test]
fn rename_takes_no_other_files_name() {
    let mut store = Filestore::new();
    let index = store.create(&name("one"), READ, 1).unwrap();
    store.create(&name("two"), READ, 1).unwrap();
    assert_eq!(store.rename(b"one", b"two"), Err(Error::FileExists));
    assert_eq!(store.rename(b"one", b"a b"), Err(Error::BadName));
    assert_eq!(store.rename(b"three", b"four"), Err(Error::NoFile));
    assert_eq!(store.rename(b"one", b"one"), Ok(()));
    assert_eq!(store.rename(b"one", b"three"), Ok(()));
    assert_eq!(store.find(&name("three")), Some(index));
}
