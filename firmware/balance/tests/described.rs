//! The page of load balancing names the policies that there are, as the command line does.

use std::fs;

use testbed_balance::policies::DESCRIBED;
use testbed_balance::settings::SETTINGS;

/// The rows of the page's table that begins like this.
fn rows(head: &str) -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/balance.md");
    let page = fs::read_to_string(path).unwrap();
    let rows = page.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    rows.take_while(|line| line.starts_with('|')).map(String::from).collect()
}

#[test]
fn the_page_describes_each_policy() {
    let rows = rows("| policy | what it does |");
    assert_eq!(rows.len(), DESCRIBED.len(), "{rows:?}");
    for (row, (name, what)) in rows.into_iter().zip(DESCRIBED) {
        assert!(row.starts_with(&format!("| `{name}` | {what} |")), "{row}: not `{name}`, {what}");
    }
}

#[test]
fn the_page_describes_each_setting() {
    let wanted = SETTINGS.iter().map(|setting| {
        let text = |value| setting.unit.text(value);
        let policies: Vec<_> = setting.policies.iter().map(|policy| format!("`{policy}`")).collect();
        format!(
            "| {} | `{}={}` | {} | {} to {} | {} |",
            policies.join(", "),
            setting.name,
            text(setting.default()),
            setting.unit.name(),
            text(setting.least),
            text(setting.most),
            setting.what
        )
    });
    assert_eq!(rows("| policy | setting and default |"), wanted.collect::<Vec<_>>());
}
