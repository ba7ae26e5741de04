//! What a trace's metadata mean, however they are written: types without their names, what is said in no order.

use std::collections::BTreeMap;

use testbed_machine::brief;

use super::tsdl::{at, parse, Declaration, Said, Setting, Type, Value};

/// Bits of the words that make an event.
const WORD_BITS: i128 = 16;

/// A type without names of types and of values.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Layout {
    Integer {
        bits: i128,
        align: i128,
        is_signed: bool,
        /// `None`: that of the trace.
        order: Option<String>,
        clock: Option<String>,
    },
    Structure {
        fields: Vec<(String, Layout)>,
        align: Option<i128>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Meant {
    Value(Value),
    Layout(Layout),
}

/// What is said, by the kind of block and the key in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning(BTreeMap<String, BTreeMap<String, Meant>>);

/// What is the same whether it is said or not: it only describes, or is so without being said.
const SAID_OR_NOT: [(&str, &str, Option<i128>); 10] = [
    ("trace", "uuid", None),
    ("clock", "uuid", None),
    ("clock", "description", None),
    ("clock", "precision", None),
    ("clock", "offset", Some(0)),
    ("clock", "offset_s", Some(0)),
    ("clock", "absolute", Some(0)),
    ("stream", "id", Some(0)),
    ("event", "id", Some(0)),
    ("event", "stream_id", Some(0)),
];

/// A number; truth is one too.
fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Word(word) => match word.to_ascii_lowercase().as_str() {
            "false" => Some(0),
            "true" => Some(1),
            _ => None,
        },
        Value::Text(_) => None,
    }
}

/// Types by the names that they have been given until here.
struct Types<'a> {
    text: &'a str,
    known: BTreeMap<String, Layout>,
}

impl Types<'_> {
    /// The layout of a type in the declaration that begins so many bytes before the end.
    fn layout(&self, left: usize, of: &Type) -> Result<Layout, String> {
        match of {
            Type::Integer(settings) => self.integer(left, settings),
            Type::Enumeration(of) => self.layout(left, of),
            Type::Structure { fields, align } => {
                let field = |(name, of): &(String, Type)| Ok((name.clone(), self.layout(left, of)?));
                Ok(Layout::Structure {
                    fields: fields.iter().map(field).collect::<Result<_, String>>()?,
                    align: *align,
                })
            }
            Type::Named(name) => {
                let known = self.known.get(name).cloned();
                known.ok_or_else(|| at(self.text, left, &format!("there is no type `{}`", brief(name))))
            }
        }
    }

    fn integer(&self, left: usize, settings: &[Setting]) -> Result<Layout, String> {
        let mut bits = None;
        let (mut align, mut is_signed, mut order, mut clock) = (None, false, None, None);
        for Setting { left, key, what } in settings {
            let wrong = || at(self.text, *left, &format!("`{}` can't be this", brief(key)));
            let Said::Value(value) = what else { return Err(wrong()) };
            match (key.as_str(), value) {
                ("size", value) => bits = Some(number(value).ok_or_else(wrong)?),
                ("align", value) => align = Some(number(value).ok_or_else(wrong)?),
                ("signed", value) => is_signed = number(value).ok_or_else(wrong)? != 0,
                ("byte_order", Value::Word(word)) => order = Some(word.clone()).filter(|word| word != "native"),
                ("map", Value::Word(word)) => clock = Some(word.clone()),
                // How it is shown.
                ("base" | "encoding", _) => {}
                _ => return Err(wrong()),
            }
        }
        let bits = bits.ok_or_else(|| at(self.text, left, "an integer has no `size`"))?;
        let align = align.unwrap_or(if bits % 8 == 0 { 8 } else { 1 });
        Ok(Layout::Integer { bits, align, is_signed, order, clock })
    }
}

impl Meaning {
    /// What metadata mean.
    ///
    /// # Errors
    /// Where they are no TSDL, or say something twice, or use a type that there isn't.
    pub fn of(text: &str) -> Result<Meaning, String> {
        let mut types = Types { text, known: BTreeMap::new() };
        let mut meaning = Meaning::default();
        for declaration in parse(text)? {
            match declaration {
                Declaration::Alias { left, name, of } => {
                    let layout = types.layout(left, &of)?;
                    types.known.insert(name, layout);
                }
                Declaration::Block { left, kind, settings } => {
                    if meaning.0.contains_key(&kind) {
                        return Err(at(text, left, &format!("there is a second `{}`", brief(&kind))));
                    }
                    let said = meant(&types, left, &kind, settings)?;
                    meaning.0.insert(kind, said);
                }
            }
        }
        Ok(meaning.resolved())
    }

    /// With the byte order of the trace in every integer.
    fn resolved(mut self) -> Self {
        let order = match self.get("trace", "byte_order") {
            Some(Meant::Value(Value::Word(order))) => order.clone(),
            _ => return self,
        };
        let all = self.0.values_mut().flat_map(BTreeMap::values_mut);
        all.for_each(|meant| {
            if let Meant::Layout(layout) = meant {
                layout.resolve(&order);
            }
        });
        self
    }

    fn get(&self, kind: &str, key: &str) -> Option<&Meant> {
        self.0.get(kind)?.get(key)
    }

    /// What `env` says.
    ///
    /// # Errors
    /// Nothing under this key.
    pub fn env(&self, key: &str) -> Result<&Value, String> {
        match self.get("env", key) {
            Some(Meant::Value(value)) => Ok(value),
            _ => Err(format!("`env` does not say `{key}`")),
        }
    }

    /// Whether a stream's bytes are events of two words, the first of which is in the header.
    pub fn has_our_events(&self) -> bool {
        let layouts = |kind: &str| -> Vec<&Layout> {
            let all = self.0.get(kind).into_iter().flat_map(BTreeMap::values);
            all.filter_map(|meant| if let Meant::Layout(layout) = meant { Some(layout) } else { None }).collect()
        };
        let one = |kind: &str, key: &str| match (layouts(kind).as_slice(), self.get(kind, key)) {
            ([_], Some(Meant::Layout(layout))) => layout.is_one_word(),
            _ => false,
        };
        layouts("trace").is_empty() && one("stream", "event.header") && one("event", "fields")
    }
}

/// What a block says.
fn meant(types: &Types, left: usize, kind: &str, settings: Vec<Setting>) -> Result<BTreeMap<String, Meant>, String> {
    let mut said = BTreeMap::new();
    for Setting { left: here, key, what } in settings {
        let meant = match what {
            Said::Type(of) => Meant::Layout(types.layout(left, &of)?),
            // Names may stand in quotes or not.
            Said::Value(Value::Word(word)) if key == "name" => Meant::Value(Value::Text(word)),
            Said::Value(value) => Meant::Value(value),
        };
        if said.contains_key(&key) {
            return Err(at(types.text, here, &format!("`{}` is said a second time", brief(&key))));
        }
        said.insert(key, meant);
    }
    said.retain(|key, meant| {
        let same = SAID_OR_NOT.iter().find(|same| (same.0, same.1) == (kind, key));
        let is_same = |usual: &Option<i128>| match (usual, &*meant) {
            (None, _) => true,
            (usual, Meant::Value(value)) => number(value) == *usual,
            (Some(_), Meant::Layout(_)) => false,
        };
        !same.is_some_and(|(_, _, usual)| is_same(usual))
    });
    Ok(said)
}

impl Layout {
    fn resolve(&mut self, trace: &str) {
        match self {
            Layout::Integer { order, .. } => {
                order.get_or_insert_with(|| trace.into());
            }
            Layout::Structure { fields, .. } => fields.iter_mut().for_each(|(_, layout)| layout.resolve(trace)),
        }
    }

    /// Whether these are 16 bits, unsigned, the low byte first, and nothing else. An alignment of 16 moves nothing.
    fn is_one_word(&self) -> bool {
        match self {
            Layout::Structure { fields, align } => {
                align.is_none_or(|align| (1..=WORD_BITS).contains(&align))
                    && matches!(fields.as_slice(), [(_, layout)] if layout.is_one_word())
            }
            Layout::Integer { bits, align, is_signed, order, .. } => {
                let is_little = order.as_deref() == Some("le");
                *bits == WORD_BITS && (1..=WORD_BITS).contains(align) && !is_signed && is_little
            }
        }
    }
}
