//! "Did you mean": the known name that is nearest to one that is not known.

use strsim::osa_distance;

/// Letters of a name of which one may be wrong.
const LETTERS_A_MISTAKE: usize = 3;

/// The known name that was probably meant by `name`: one that differs in few letters, or else the
/// only one that begins with it. `None` if no name is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.trim().to_lowercase();
    if name.is_empty() {
        return None;
    }
    let known: Vec<&str> = known.into_iter().collect();
    let distance = |candidate: &&str| osa_distance(&name, &candidate.to_lowercase());
    let allowed = |candidate: &&str| candidate.chars().count().min(name.chars().count()).div_ceil(LETTERS_A_MISTAKE);
    let near = known.iter().filter(|candidate| distance(candidate) <= allowed(candidate)).min_by_key(|c| distance(c));
    let begins = |candidate: &&&str| candidate.to_lowercase().starts_with(&name);
    near.copied().or_else(|| {
        let mut longer = known.iter().filter(begins);
        let first = longer.next();
        first.filter(|_| longer.next().is_none()).copied()
    })
}

/// The question for a message's help, with a blank behind it: "did you mean `remote`? "; nothing if
/// no known name is near.
pub fn question<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |nearest| format!("did you mean `{nearest}`? "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = ["local", "logger", "remote", "multi-phase", "TIMER", "TIMER_END"];

    #[test]
    fn a_name_that_is_near_is_meant() {
        for (name, meant) in [
            ("remot", Some("remote")),
            ("rmeote", Some("remote")),
            ("Remote", Some("remote")),
            ("loacl", Some("local")),
            ("TIMR", Some("TIMER")),
            ("timer_edn", Some("TIMER_END")),
            ("multi", Some("multi-phase")),
            ("lo", None),
            ("x", None),
            ("", None),
            ("philosophers", None),
        ] {
            assert_eq!(nearest(name, KNOWN), meant, "{name}");
        }
        assert_eq!(question("remot", KNOWN), "did you mean `remote`? ");
        assert_eq!(question("abacus", KNOWN), "");
    }
}
