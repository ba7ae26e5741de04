//! Plots as XML: whatever is finite can be drawn.

use proptest::prelude::*;
use testbed_experiments::model::{Axis, Channel, Line, LineKind, Network, Panel, Series, Station, Style};
use testbed_experiments::plot::{legend, network, pathway, svg, Flow, PlotError};

fn axis(label: &str, log: bool) -> Axis {
    Axis { label: label.into(), log }
}

fn panel(series: Vec<Series>) -> Panel {
    let (x, y) = (axis("length, bytes", false), axis("time, cycles", false));
    Panel { title: "default kernel, quiet".into(), x, y, series, lines: vec![], fits: vec![] }
}

fn series(name: &str, style: Style, points: &[(f64, f64)]) -> Series {
    Series { name: name.into(), style, points: points.to_vec() }
}

/// The elements' texts of a class.
fn texts(svg: &str, class: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let of_class = document.descendants().filter(|node| node.attribute("class") == Some(class));
    of_class.filter_map(|node| node.text().map(String::from)).collect()
}

/// The paths of marks, by class.
fn paths(svg: &str, class: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let of_class = document.descendants().filter(|node| node.attribute("class") == Some(class));
    of_class.filter_map(|node| node.attribute("d").map(String::from)).collect()
}

/// Numbers of a path.
fn numbers(path: &str) -> Vec<f64> {
    path.split(|character: char| !(character.is_ascii_digit() || matches!(character, '.' | '-')))
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().unwrap())
        .collect()
}

#[test]
fn axes_have_their_units_and_round_ticks() {
    let drawn = svg(&panel(vec![series("send", Style::Dots, &[(1.0, 320.0), (5000.0, 1600.0)])]), "one").unwrap();
    assert_eq!(texts(&drawn, "label"), ["time, cycles", "length, bytes"]);
    let ticks = texts(&drawn, "tick");
    for tick in ["0", "1\u{202f}000", "5\u{202f}000", "500", "1\u{202f}500"] {
        assert!(ticks.iter().any(|text| text == tick), "{tick} in {ticks:?}");
    }
    assert!(drawn.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"one\""));
}

#[test]
fn dots_stand_where_their_values_are() {
    let points = [(0.0, 0.0), (50.0, 100.0), (100.0, 200.0)];
    let drawn = svg(&panel(vec![series("send", Style::Dots, &points)]), "one").unwrap();
    let places = numbers(&paths(&drawn, "s0 dots big")[0]);
    // x, y and the length of each.
    let [x0, y0, _, x1, y1, _, x2, y2, _] = places[..] else { panic!("{places:?}") };
    assert!(
        (x1 - (x0 + x2) / 2.0).abs() <= 0.11 && (y1 - (y0 + y2) / 2.0).abs() <= 0.11 && x2 > x0 && y2 < y0,
        "{places:?}"
    );
}

#[test]
fn a_thousand_points_are_one_path() {
    let points: Vec<_> = (0..1000).map(|index| (f64::from(index), f64::from(index * index % 977))).collect();
    let drawn = svg(&panel(vec![series("send", Style::Dots, &points)]), "one").unwrap();
    assert_eq!(paths(&drawn, "s0 dots small").len(), 1);
    assert!(drawn.len() < 20_000, "{} bytes", drawn.len());
    let same = vec![series("send", Style::Dots, &[(1.0, 2.0); 1000])];
    assert_eq!(paths(&svg(&panel(same), "one").unwrap(), "s0 dots small")[0].matches('M').count(), 1);
}

#[test]
fn lines_bend_on_logarithmic_axes() {
    let mut one = panel(vec![series("send", Style::Dots, &[(1.0, 1.0), (1000.0, 1000.0)])]);
    one.lines.push(Line { name: "fit".into(), kind: LineKind::Fit, from: (1.0, 500.0), to: (1000.0, 1.0) });
    assert_eq!(paths(&svg(&one, "one").unwrap(), "fit")[0].matches('L').count(), 1);
    one.x.log = true;
    one.y.log = true;
    let drawn = svg(&one, "one").unwrap();
    assert!(paths(&drawn, "fit")[0].matches('L').count() > 20);
    assert!(texts(&drawn, "tick").iter().any(|tick| tick == "100"));
    assert!(!paths(&drawn, "grid fine").is_empty());
}

#[test]
fn steps_of_several_series_have_strips_of_their_own() {
    let queue = |name: &str| series(name, Style::Steps, &[(0.0, 1.0), (2.0, 3.0), (4.0, 0.0)]);
    let all = panel(vec![queue("earth"), queue("air"), queue("fire")]);
    let drawn = svg(&all, "one").unwrap();
    assert_eq!(texts(&drawn, "strip"), ["earth", "air", "fire"]);
    assert_eq!(legend(&all), "", "each strip is named by itself");
    let tops: Vec<_> =
        (0..3).map(|index| numbers(&paths(&drawn, &format!("s{index} line steps area"))[0])[1]).collect();
    assert!(tops[0] + 50.0 < tops[1] && tops[1] + 50.0 < tops[2], "{tops:?}");
}

#[test]
fn few_bars_share_axes_and_many_do_not() {
    let bars = |name: &str, count: u32| {
        let points: Vec<_> = (0..count).map(|index| (f64::from(index), f64::from(index % 7))).collect();
        series(name, Style::Bars, &points)
    };
    let few = svg(&panel(vec![bars("local", 30), bars("remote", 30)]), "one").unwrap();
    assert_eq!(texts(&few, "strip").len(), 0);
    let many = svg(&panel(vec![bars("local", 400), bars("remote", 30)]), "one").unwrap();
    assert_eq!(texts(&many, "strip"), ["local", "remote"]);
}

#[test]
fn ours_are_enlarged_where_the_reports_are_far_above() {
    let mut one = panel(vec![series("send", Style::Dots, &[(0.0, 1.0), (10.0, 1.2)])]);
    let line = |kind, y| Line { name: "line".into(), kind, from: (0.0, y), to: (10.0, y) };
    one.lines = vec![line(LineKind::Fit, 1.1), line(LineKind::Report, 1.9)];
    let near = svg(&one, "one").unwrap();
    assert_eq!((texts(&near, "strip").len(), paths(&near, "report").len()), (0, 1));
    one.lines[1] = line(LineKind::Report, 8.4);
    let far = svg(&one, "one").unwrap();
    assert_eq!(texts(&far, "strip"), ["beside the report’s", "enlarged, without the report’s"]);
    assert_eq!((paths(&far, "report").len(), paths(&far, "fit").len(), paths(&far, "s0 dots big").len()), (1, 2, 2));
}

#[test]
fn fits_have_their_series_colours_and_end_at_zero() {
    let mut one = panel(vec![series("a", Style::Dots, &[(0.0, 0.0)]), series("ab", Style::Dots, &[(10.0, 100.0)])]);
    let line = |name: &str, from, to| Line { name: name.into(), kind: LineKind::Fit, from, to };
    one.lines = vec![line("ab: fit", (0.0, -100.0), (10.0, 100.0)), line("a: fit", (0.0, -9.0), (10.0, -8.0))];
    let drawn = svg(&one, "one").unwrap();
    assert!(!texts(&drawn, "tick").contains(&"−100".to_string()));
    assert_eq!(paths(&drawn, "s0 fit").len(), 0, "all of it is below the axis");
    let [x, y, ..] = numbers(&paths(&drawn, "s1 fit")[0])[..] else { panic!("{drawn}") };
    let [left, bottom, ..] = numbers(&paths(&drawn, "s0 dots big")[0])[..] else { panic!("{drawn}") };
    let [right, ..] = numbers(&paths(&drawn, "s1 dots big")[0])[..] else { panic!("{drawn}") };
    assert!((x - (left + right) / 2.0).abs() < 0.2 && (y - bottom).abs() < 0.2, "{x} {y}");
}

#[test]
fn nothing_one_point_and_constants_are_drawn() {
    for style in [Style::Dots, Style::Line, Style::Steps, Style::Bars] {
        let empty = panel(vec![series("send", style, &[])]);
        assert_eq!(texts(&svg(&empty, "one").unwrap(), "nothing"), ["no points"]);
        assert!(legend(&empty).contains("send (no points)"));
        for points in [&[(3.0, 7.0)][..], &[(0.0, 0.0)], &[(1.0, 5.0), (2.0, 5.0)]] {
            let drawn = svg(&panel(vec![series("send", style, points)]), "one").unwrap();
            assert!(texts(&drawn, "tick").len() >= 4, "{drawn}");
            assert_eq!(texts(&drawn, "nothing").len(), 0);
        }
    }
}

#[test]
fn a_value_without_a_place_is_named_by_panel_and_series() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = svg(&panel(vec![series("send", Style::Line, &[(1.0, 2.0), (value, 3.0)])]), "one").unwrap_err();
        let text = error.to_string();
        let told = "panel `default kernel, quiet`, series `send`: x of point 1 is";
        assert!(text.starts_with(told) && text.contains("\n  help: "), "{text}");
    }
    let mut one = panel(vec![series("send", Style::Dots, &[(1.0, 0.0)])]);
    one.y.log = true;
    assert!(matches!(svg(&one, "one").unwrap_err(), PlotError::NotPositive { axis: 'y', place: 0, .. }));
    one.series[0].style = Style::Bars;
    svg(&one, "one").expect("a bar of no height needs no place");
    let many = panel(vec![series("send", Style::Dots, &[]); 6]);
    assert!(matches!(svg(&many, "one").unwrap_err(), PlotError::TooMany { count: 6, .. }));
    let mut bad = panel(vec![]);
    bad.lines.push(Line { name: "fit".into(), kind: LineKind::Fit, from: (0.0, 1.0), to: (1.0, f64::NAN) });
    assert!(svg(&bad, "one").unwrap_err().to_string().contains("line `fit`: y of point 1 is NaN"));
}

#[test]
fn the_network_has_every_thread_and_channel() {
    let rich = super::sample::network();
    let drawn = network(&rich).unwrap();
    assert_eq!(texts(&drawn, "thread").len(), 26);
    assert_eq!(texts(&drawn, "processor"), ["master", "earth", "air", "fire", "water", "space"]);
    assert_eq!(texts(&drawn, "count remote").len(), 30);
    assert_eq!(texts(&drawn, "count").len(), 20);
    assert!(texts(&drawn, "count").contains(&"36: 28".to_string()), "{:?}", texts(&drawn, "count"));
    // Channels 0 and 5 lead from and to the same threads: one arrow.
    assert_eq!(paths(&drawn, "channel remote").len(), 29);
    let away = Network { threads: vec![("1".into(), 6)], ..rich.clone() };
    assert!(network(&away).unwrap_err().to_string().contains("thread 0 of the network is at 6"));
    let mut away = rich;
    away.channels[3].to = 99;
    assert!(network(&away).unwrap_err().to_string().contains("channel 3 of the network is at 99"));
    let one =
        Network { processors: vec!["master".into(), "earth".into()], threads: vec![("1".into(), 1)], channels: vec![] };
    assert_eq!(texts(&network(&one).unwrap(), "processor"), ["earth"]);
    network(&Network { processors: vec![], threads: vec![], channels: vec![] }).unwrap();
}

#[test]
fn stations_follow_each_other() {
    let station =
        |name: &str| Station { name: name.into(), figures: "1 100 pairs a second".into(), report: "<b>".into() };
    let both = [station("SMI"), station("MMI")];
    for flow in [Flow::Across, Flow::Down] {
        let drawn = pathway(&both, flow);
        assert_eq!(texts(&drawn, "name"), ["SMI", "MMI"]);
        assert_eq!(texts(&drawn, "told"), ["The report: <b>"; 2]);
        assert_eq!(paths(&drawn, "channel").len(), 1);
        assert!(!pathway(&[], flow).contains("NaN"));
    }
}

fn any_style() -> impl Strategy<Value = Style> {
    prop_oneof![Just(Style::Dots), Just(Style::Line), Just(Style::Steps), Just(Style::Bars)]
}

/// Any finite number, on a logarithmic axis any above 0; often of an everyday size.
fn any_value(log: bool) -> impl Strategy<Value = f64> {
    prop_oneof![
        -1e6..1e6,
        (0u32..50).prop_map(f64::from),
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        prop_oneof![Just(f64::MAX), Just(f64::MIN), Just(5e-324), Just(0.0)],
    ]
    .prop_map(move |value: f64| if log { value.abs().max(5e-324) } else { value })
}

fn any_panel() -> impl Strategy<Value = Panel> {
    (any::<bool>(), any::<bool>(), any::<String>(), any::<String>()).prop_flat_map(|(x_log, y_log, label, title)| {
        let point = move || (any_value(x_log), any_value(y_log));
        let one = (any::<String>(), any_style(), proptest::collection::vec(point(), 0..40)).prop_map(
            |(name, style, mut points)| {
                points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
                Series { name, style, points }
            },
        );
        let kinds = prop_oneof![
            Just(LineKind::Fit),
            Just(LineKind::Bound),
            Just(LineKind::Report),
            Just(LineKind::ReportBound)
        ];
        let line =
            (any::<String>(), kinds, point(), point()).prop_map(|(name, kind, from, to)| Line { name, kind, from, to });
        (proptest::collection::vec(one, 0..=5), proptest::collection::vec(line, 0..4)).prop_map(
            move |(series, lines)| {
                let (x, y) = (axis(&label, x_log), axis(&title, y_log));
                Panel { title: title.clone(), x, y, series, lines, fits: vec![] }
            },
        )
    })
}

/// No coordinate lies outside of the picture, and none is no number.
fn is_inside(drawn: &str) {
    let document = roxmltree::Document::parse(drawn).unwrap_or_else(|error| panic!("{error}: {drawn}"));
    let view = numbers(document.root_element().attribute("viewBox").unwrap());
    for path in document.descendants().filter_map(|node| node.attribute("d")) {
        assert!(!path.contains("NaN") && !path.contains("inf"), "{path}");
        for number in numbers(path) {
            assert!((0.0..=view[2].max(view[3])).contains(&number), "{number} in {path}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_finite_panel_is_well_formed(panel in any_panel(), id in any::<String>()) {
        is_inside(&svg(&panel, &id).unwrap());
        let list = legend(&panel);
        let list = format!("<div>{list}</div>");
        roxmltree::Document::parse(&list).unwrap_or_else(|error| panic!("{error}: {list}"));
    }

    #[test]
    fn any_network_is_well_formed(
        names in proptest::collection::vec(any::<String>(), 1..7),
        threads in proptest::collection::vec((any::<String>(), 0usize..99), 1..30),
        channels in proptest::collection::vec((any::<u8>(), 0usize..99, 0usize..99, any::<u64>(), any::<bool>()), 0..60),
    ) {
        let threads: Vec<_> = threads.into_iter().map(|(name, at)| (name, at % names.len())).collect();
        let count = threads.len();
        let channels = channels.into_iter().map(|(number, from, to, times, remote)| Channel {
            number, from: from % count, to: to % count, count: times, remote,
        });
        let one = Network { processors: names, channels: channels.collect(), threads };
        roxmltree::Document::parse(&network(&one).unwrap()).unwrap();
    }
}
