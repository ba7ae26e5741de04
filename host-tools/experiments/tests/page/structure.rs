//! What is on the page.

use testbed_experiments::model::{Content, Table};
use testbed_experiments::page::PageError;
use testbed_experiments::section3::model::Profile;
use testbed_experiments::section3::page::html;

use super::sample::rich;

/// The first panel of a figure.
fn panel(profile: &mut Profile, figure: usize) -> &mut testbed_experiments::model::Panel {
    match &mut profile.figures[figure].content {
        Content::Panels(panels) => &mut panels[0],
        _ => panic!("figure {} has no panels", figure + 9),
    }
}

#[test]
fn a_page_of_a_thousand_points_a_series_stays_small() {
    let size = html(&rich()).unwrap().len();
    assert!((400_000..4_000_000).contains(&size), "{size} bytes");
}

#[test]
fn all_text_is_escaped() {
    let mut profile = rich();
    let hostile = "</title><script>harm()</script>&\"'<b>";
    profile.machine = hostile.into();
    profile.runs[0].command = hostile.into();
    profile.tables[0].rows[0][0] = hostile.into();
    profile.effects[0].evidence = hostile.into();
    profile.services[0].name = hostile.into();
    profile.others[0].ours = hostile.into();
    profile.figures[0].explanation = hostile.into();
    let first = panel(&mut profile, 0);
    first.title = hostile.into();
    first.y.label = hostile.into();
    first.series[0].name = hostile.into();
    first.fits[0].series = hostile.into();
    let page = html(&profile).unwrap();
    assert!(!page.contains("<script") && !page.contains("&\"'<b>"));
    assert!(page.matches("harm()").count() >= 11);
}

#[test]
fn what_cannot_be_shown_is_named() {
    let mut profile = rich();
    panel(&mut profile, 3).series[1].points[4].1 = f64::NAN;
    let error = html(&profile).unwrap_err().to_string();
    assert!(
        error.starts_with("figure 12: panel `default kernel, quiet`, series `rtr`: y of point 4 is NaN"),
        "{error}"
    );
    let mut profile = rich();
    profile.services[2].cycles.above = f64::INFINITY;
    let error = html(&profile).unwrap_err().to_string();
    assert!(error.starts_with("Table 6, Local communication (tos94, quiet), cycles is inf"), "{error}");
    let mut profile = rich();
    profile.tables[1].rows[1].pop();
    let ragged = PageError::Ragged { title: "How the figures repeat".into(), row: 1, cells: 3, columns: 4 };
    assert_eq!(html(&profile).unwrap_err(), ragged);
}

#[test]
fn services_of_the_default_kernel_below_a_fifth_are_marked_only() {
    let mut profile = rich();
    let marks = |profile: &Profile| html(profile).unwrap().matches("class=\"low\"").count();
    profile.services.iter_mut().for_each(|service| {
        service.intercept_ratio = 5.0;
        service.slope_ratio = service.slope_ratio.map(|_| 4.99);
    });
    // Two services with a slope, quiet and busy, on the default kernel.
    assert_eq!(marks(&profile), 4);
    profile.services.iter_mut().for_each(|service| service.slope_ratio = service.slope_ratio.map(|_| 5.0));
    assert_eq!(marks(&profile), 0);
    assert!(!html(&profile).unwrap().contains("times below the report"));
}

#[test]
fn an_experiment_that_found_nothing_has_a_page_too() {
    let mut profile = rich();
    profile.figures.clear();
    profile.services.clear();
    profile.effects.clear();
    profile.others.clear();
    profile.runs.clear();
    profile.tables = vec![Table { title: "Empty".into(), explanation: String::new(), columns: vec![], rows: vec![] }];
    assert!(html(&profile).unwrap().contains("id=\"runs\""));
}
