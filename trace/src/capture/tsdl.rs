//! The grammar of TSDL, the language in which CTF describes a trace (CTF 1.8.3, appendix C): as
//! much of it as a trace of integers takes.
//!
//! Blanks and comments may stand between any two words.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while};
use nom::character::complete::{char, digit1, hex_digit1, multispace1, none_of, not_line_ending, oct_digit1, satisfy};
use nom::combinator::{cut, map, map_res, not, opt, recognize, value};
use nom::error::{ErrorKind, FromExternalError, ParseError};
use nom::multi::{fold_many0, many0, many0_count, separated_list0, separated_list1};
use nom::sequence::{delimited, pair, preceded, separated_pair, terminated};
use nom::{IResult, Parser};

/// Types in each other, at most.
const DEPTH: u32 = 8;

/// What stands between `:=` and `;`, or names a field's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Integer(Vec<Setting>),
    /// With the type that it names values of.
    Enumeration(Box<Type>),
    Structure {
        fields: Vec<(String, Type)>,
        align: Option<i128>,
    },
    /// By the name that it has been given; an enumeration without a type of its own is of `int`.
    Named(String),
}

/// What stands behind `=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(i128),
    /// A word, or words joined by points.
    Word(String),
}

/// Something that is said of a block or of an integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Bytes of the text from here to its end.
    pub left: usize,
    pub key: String,
    pub what: Said,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Value(Value),
    Type(Type),
}

/// A declaration of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// `typealias TYPE := NAME;`
    Alias { left: usize, name: String, of: Type },
    /// `KIND { … };`
    Block { left: usize, kind: String, settings: Vec<Setting> },
}

/// What is expected, where nothing fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fault {
    /// Bytes of the text from here to its end.
    left: usize,
    expected: &'static str,
}

impl ParseError<&str> for Fault {
    fn from_error_kind(rest: &str, _: ErrorKind) -> Self {
        Fault { left: rest.len(), expected: "something else" }
    }

    fn append(_: &str, _: ErrorKind, inner: Self) -> Self {
        inner
    }

    /// The alternative that came further tells more.
    fn or(self, other: Self) -> Self {
        if self.left < other.left {
            self
        } else {
            other
        }
    }
}

impl<E> FromExternalError<&str, E> for Fault {
    fn from_external_error(rest: &str, kind: ErrorKind, _: E) -> Self {
        Fault::from_error_kind(rest, kind)
    }
}

type Parsed<'a, T> = IResult<&'a str, T, Fault>;

/// Says what is expected where `parser` does not fit.
fn expect<'a, T>(
    expected: &'static str,
    mut parser: impl Parser<&'a str, Output = T, Error = Fault>,
) -> impl FnMut(&'a str) -> Parsed<'a, T> {
    move |text| {
        parser.parse(text).map_err(|error| match error {
            nom::Err::Error(_) => nom::Err::Error(Fault { left: text.len(), expected }),
            other => other,
        })
    }
}

fn blank(text: &str) -> Parsed<'_, ()> {
    let long = (tag("/*"), cut(expect("the end of the comment, `*/`,", (take_until("*/"), tag("*/")))));
    let line = (tag("//"), not_line_ending);
    value((), many0_count(alt((value((), multispace1), value((), long), value((), line))))).parse(text)
}

/// A sign, and the blanks behind it.
fn sign<'a>(sign: &'static str, expected: &'static str) -> impl FnMut(&'a str) -> Parsed<'a, ()> {
    expect(expected, value((), terminated(tag(sign), blank)))
}

fn in_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn word(text: &str) -> Parsed<'_, &str> {
    let bare = recognize(pair(satisfy(|first| first.is_ascii_alphabetic() || first == '_'), take_while(in_word)));
    expect("a name", terminated(bare, blank)).parse(text)
}

/// This word and no longer one.
fn keyword<'a>(keyword: &'static str) -> impl FnMut(&'a str) -> Parsed<'a, ()> {
    move |text| value((), (tag(keyword), not(satisfy(in_word)), blank)).parse(text)
}

/// Words joined by points.
fn path(text: &str) -> Parsed<'_, String> {
    map(separated_list1(sign(".", "`.`"), word), |words| words.join(".")).parse(text)
}

fn number(text: &str) -> Parsed<'_, i128> {
    let radix = |radix| move |digits: &str| i128::from_str_radix(digits, radix);
    let magnitude = alt((
        map_res(preceded(alt((tag("0x"), tag("0X"))), hex_digit1), radix(16)),
        map_res(preceded(char('0'), oct_digit1), radix(8)),
        map_res(digit1, radix(10)),
    ));
    let signed = map((opt(char('-')), magnitude), |(minus, value)| if minus.is_some() { -value } else { value });
    let suffix = take_while(|letter| matches!(letter, 'u' | 'U' | 'l' | 'L'));
    expect("a number", terminated(signed, (suffix, not(satisfy(in_word)), blank))).parse(text)
}

/// Text in quotes. Of escapes only those of quotes and backslashes are resolved.
fn quoted(text: &str) -> Parsed<'_, String> {
    let letter = alt((preceded(char('\\'), alt((char('"'), char('\\')))), none_of("\"\n")));
    let letters = fold_many0(letter, String::new, |mut all, letter| {
        all.push(letter);
        all
    });
    let end = expect("the end of the text, `\"`,", char('"'));
    terminated(delimited(char('"'), letters, cut(end)), blank).parse(text)
}

fn thing(text: &str) -> Parsed<'_, Value> {
    let all = alt((map(quoted, Value::Text), map(number, Value::Number), map(path, Value::Word)));
    expect("a text in quotes, a number or a name", all).parse(text)
}

/// `KEY = VALUE;` or `KEY := TYPE;`
fn setting(depth: u32) -> impl FnMut(&str) -> Parsed<'_, Setting> {
    move |text| {
        let (rest, key) = path(text)?;
        let of_type = preceded(sign(":=", "`:=`"), cut(a_type(depth + 1)));
        let of_value = preceded(sign("=", "`=`"), cut(thing));
        let said = expect("`=` or `:=`", alt((map(of_type, Said::Type), map(of_value, Said::Value))));
        let (rest, what) = terminated(cut(said), cut(sign(";", "`;`"))).parse(rest)?;
        Ok((rest, Setting { left: text.len(), key, what }))
    }
}

fn settings(depth: u32) -> impl FnMut(&str) -> Parsed<'_, Vec<Setting>> {
    move |text| delimited(sign("{", "`{`"), many0(setting(depth)), cut(sign("}", "`}` or a name"))).parse(text)
}

/// A name of a word, and which words have it. They are read and left out: names change no meaning.
fn enumerator(text: &str) -> Parsed<'_, ()> {
    let name = alt((map(quoted, drop), map(word, drop)));
    let values = preceded(sign("=", "`=`"), cut((number, opt(preceded(sign("...", "`...`"), cut(number))))));
    value((), (name, opt(values))).parse(text)
}

fn enumeration(depth: u32) -> impl FnMut(&str) -> Parsed<'_, Type> {
    move |text| {
        let own = opt(preceded(sign(":", "`:`"), cut(a_type(depth + 1))));
        let names = terminated(separated_list0(sign(",", "`,`"), enumerator), opt(sign(",", "`,`")));
        let names = delimited(cut(sign("{", "`{`")), names, cut(sign("}", "`}` or `,`")));
        let (rest, (_, of, _)) = (opt(word), own, names).parse(text)?;
        Ok((rest, Type::Enumeration(Box::new(of.unwrap_or_else(|| Type::Named("int".into()))))))
    }
}

fn structure(depth: u32) -> impl FnMut(&str) -> Parsed<'_, Type> {
    move |text| {
        let field = map((a_type(depth + 1), cut(word), cut(sign(";", "`;`"))), |(of, name, _)| (name.to_string(), of));
        let fields = delimited(cut(sign("{", "`{`")), many0(field), cut(sign("}", "`}` or a type")));
        let align = preceded(keyword("align"), cut(delimited(sign("(", "`(`"), number, sign(")", "`)`"))));
        map((opt(word), fields, opt(align)), |(_, fields, align)| Type::Structure { fields, align }).parse(text)
    }
}

fn a_type(depth: u32) -> impl FnMut(&str) -> Parsed<'_, Type> {
    move |text| {
        if depth > DEPTH {
            let expected = "a type that has fewer others in it";
            return Err(nom::Err::Failure(Fault { left: text.len(), expected }));
        }
        alt((
            preceded(keyword("integer"), cut(map(settings(depth), Type::Integer))),
            preceded(keyword("enum"), cut(enumeration(depth))),
            preceded(keyword("struct"), cut(structure(depth))),
            map(expect("a type", word), |name| Type::Named(name.into())),
        ))
        .parse(text)
    }
}

fn declaration(text: &str) -> Parsed<'_, Declaration> {
    let left = text.len();
    let alias = separated_pair(cut(a_type(0)), cut(sign(":=", "`:=`")), cut(word));
    let alias = map(preceded(keyword("typealias"), alias), move |(of, name)| {
        let name = name.into();
        Declaration::Alias { left, name, of }
    });
    let block = map((word, cut(settings(0))), move |(kind, settings)| {
        let kind = kind.into();
        Declaration::Block { left, kind, settings }
    });
    terminated(alt((alias, block)), cut(sign(";", "`;`"))).parse(text)
}

/// The declarations of a text.
///
/// # Errors
/// Where it is none, and what is expected there.
pub fn parse(text: &str) -> Result<Vec<Declaration>, String> {
    let whole = preceded(blank, many0(declaration));
    let (rest, all) = { whole }.parse(text).map_err(|error| match error {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => {
            at(text, fault.left, &format!("{} is expected", fault.expected))
        }
        nom::Err::Incomplete(_) => "it ends too early".into(),
    })?;
    match rest {
        "" => Ok(all),
        rest => Err(at(text, rest.len(), "a declaration is expected")),
    }
}

/// A message with its place: line and column of what has so many bytes behind it.
pub fn at(text: &str, left: usize, message: &str) -> String {
    let before = text.get(..text.len().saturating_sub(left)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(left: usize, key: &str, number: i128) -> Setting {
        Setting { left, key: key.into(), what: Said::Value(Value::Number(number)) }
    }

    #[test]
    fn blanks_and_comments_stand_anywhere() {
        let expected = [Declaration::Block { left: 13, kind: "env".into(), settings: vec![number(8, "a", 31)] }];
        assert_eq!(parse("env {a=0x1f;};").unwrap().len(), 1);
        assert_eq!(parse("env{ a=037;};").unwrap(), expected);
        assert_eq!(parse("/* a */ env{ a=31u;};").unwrap().len(), 1);
        let spread = parse("// a\n/* {\n */env/**/{\n\ta // b\n = 31 ; }\r\n;").unwrap();
        let Declaration::Block { kind, settings, .. } = &spread[0] else { panic!("{spread:?}") };
        assert_eq!((kind.as_str(), settings[0].key.as_str()), ("env", "a"));
        assert_eq!(settings[0].what, Said::Value(Value::Number(31)));
    }

    #[test]
    fn types_are_read() {
        let text = "typealias enum : integer { size = 16; } { \"A B\" = 1, C = 2 ... 3, } := w;\n\
                    event { fields := struct { w a; struct { int b; } align(8) c; }; };";
        let all = parse(text).unwrap();
        let Declaration::Alias { name, of: Type::Enumeration(of), .. } = &all[0] else { panic!("{all:?}") };
        assert!(name == "w" && matches!(**of, Type::Integer(_)), "{all:?}");
        let Declaration::Block { settings, .. } = &all[1] else { panic!("{all:?}") };
        let Said::Type(Type::Structure { fields, align: None }) = &settings[0].what else { panic!("{all:?}") };
        assert_eq!(fields[0], ("a".into(), Type::Named("w".into())));
        assert!(matches!(fields[1].1, Type::Structure { align: Some(8), .. }), "{fields:?}");
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        for (text, expected) in [
            ("env { a = 1 };", "line 1, column 13: `;` is expected"),
            ("env {\n  a 1;\n};", "line 2, column 5: `=` or `:=` is expected"),
            ("env { a = ; };", "line 1, column 11: a text in quotes, a number or a name is expected"),
            ("env { a = \"b; };", "line 1, column 17: the end of the text, `\"`, is expected"),
            ("env { a = 1; }", "line 1, column 15: `;` is expected"),
            ("env { a = 1;", "line 1, column 13: `}` or a name is expected"),
            ("/* env", "line 1, column 3: the end of the comment, `*/`, is expected"),
            ("env {}; ;", "line 1, column 9: a declaration is expected"),
            ("event { fields := struct { };", "line 1, column 30: `}` or a name is expected"),
            ("typealias 7 := a;", "line 1, column 11: a type is expected"),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected, "{text}");
        }
        let deep = format!("event {{ fields := {}", "struct { ".repeat(10_000));
        assert!(parse(&deep).unwrap_err().contains("fewer others"));
    }
}
