//! The page of load balancing names the policies that there are, as the command line does.

use std::fs;

use testbed_balance::policies::DESCRIBED;

#[test]
fn the_page_describes_each_policy() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/balance.md");
    let page = fs::read_to_string(path).unwrap();
    let rows = page.lines().skip_while(|line| !line.starts_with("| policy | what it does |")).skip(2);
    let rows: Vec<_> = rows.take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), DESCRIBED.len(), "{rows:?}");
    for (row, (name, what)) in rows.into_iter().zip(DESCRIBED) {
        assert!(row.starts_with(&format!("| `{name}` | {what} |")), "{row}: not `{name}`, {what}");
    }
}
