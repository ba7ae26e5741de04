//! The page is one file of its own.

use testbed_host_tools::web::page::page;

use super::CONTENTS;

/// What a page may take.
const BYTES_MAX: usize = 6_000_000;

/// The only address that the page knows.
const PERFETTO: &str = "https://ui.perfetto.dev";

#[test]
fn a_page_is_one_small_file_that_asks_nothing_of_a_network() {
    let html = page(&CONTENTS);
    assert!((500_000..BYTES_MAX).contains(&html.len()), "{} bytes", html.len());
    let packed = html.find("id=\"pack\">").unwrap();
    let end = html[packed..].find("</script>").unwrap() + packed;
    // The packed bytes may spell anything.
    let text = [&html[..packed], &html[end..]].concat();
    // Where a trace is handed over to, if somebody asks for that.
    assert_eq!(text.matches(PERFETTO).count(), 1);
    let text = text.replace(PERFETTO, "");
    for address in ["http:", "https:", "//cdn", "@import", "url("] {
        assert!(!text.contains(address), "the page has {address}");
    }
    for element in [
        "<script src",
        "<link rel=\"stylesheet\"",
        "<img",
        "<iframe",
        "fetch(",
        "XMLHttpRequest",
        "import(",
        "importScripts",
    ] {
        assert!(!text.contains(element), "the page has {element}");
    }
    assert!(text.contains("default-src 'none'") && !text.contains("{{"));
}

#[test]
fn a_page_has_every_program_with_what_it_is() {
    assert!(CONTENTS.programs.len() > 50);
    for program in &CONTENTS.programs {
        assert!(CONTENTS.part("program", &program.name).is_some());
        assert!(program.about.len() > 10 && !program.about.contains("[`"), "{}: {}", program.name, program.about);
    }
    let machines: Vec<_> = CONTENTS.machines.iter().map(|machine| machine.name).collect();
    assert_eq!(machines[0], "testbed6");
    assert!(machines.contains(&"testbed2") && !machines.contains(&"hx8k-evn"), "{machines:?}");
}
