//! The page: the paper's Figures 7 to 12 and its tables, ours beside each printed value.

use testbed_lossy::figures::{figure, Assumed, Figure, Panel as Curves, NUMBERS};
use testbed_lossy::paper::slips::slips;
use testbed_lossy::paper::statements::{best, statements, BestNodes, Statement};

use super::quantities::number;
use super::table::{copies_table, one_table, reasons, two_table, TableTwo};
use crate::model::{Axis, Panel, Series, Style, Table};
use crate::page::{self, PageError};

const TITLE: &str = "The lossy BSP model, beside its paper";
/// A speed-up below it has no place on a page's axis.
const LEAST: f64 = 1e-3;

/// The page.
///
/// # Errors
/// A value that can't be shown.
pub fn html(assumed: &Assumed, two: &TableTwo) -> Result<String, PageError> {
    let statements = statements(assumed);
    let sections = NUMBERS.filter_map(|number| figure(number, assumed)).map(|figure| section(&figure, &statements));
    let sections: Vec<String> = sections.collect::<Result<_, _>>()?;
    let parts = [
        head(assumed),
        navigation(),
        "<main id=\"main\" tabindex=\"-1\">\n".into(),
        sections.concat(),
        page::tables(&tables(assumed, two, &statements))?,
        "</main>\n".into(),
        foot(),
    ];
    Ok(page::html(TITLE, "", &parts))
}

fn head(assumed: &Assumed) -> String {
    let told = format!(
        "E. Sundararajan, A. Harwood and K. Ramamohanarao, “Lossy Bulk Synchronous Parallel Processing Model for Very \
         Large Scale Grids”. The paper does not print the packet time α and the round trip β of its Figures 8 to 12: here \
         they are {} s and {} s, those of the first columns of its Table II. It prints no values of its curves either, so \
         what its text says of them is what they are held against.",
        number(assumed.alpha),
        number(assumed.beta)
    );
    format!("<header>\n<h1>{TITLE}</h1>\n{}</header>\n", page::paragraphs("verdict", &told))
}

fn navigation() -> String {
    let figures = NUMBERS.map(|number| format!("<li><a href=\"#figure-{number}\">Figure {number}</a></li>\n"));
    let links = figures.collect::<String>() + "<li><a href=\"#measurements\">Tables</a></li>\n";
    format!("<nav aria-label=\"Sections\"><ul>\n{links}</ul></nav>\n")
}

fn section(figure: &Figure, statements: &[Statement]) -> Result<String, PageError> {
    let of = statements.iter().filter(|one| one.figure == figure.number);
    let told: Vec<String> = of
        .map(|Statement { says, holds, found, .. }| {
            format!("The paper says: {says}. {} {found}.", if *holds { "So it is:" } else { "It is not so:" })
        })
        .collect();
    let panels: Vec<Panel> = ('a'..).zip(&figure.panels).map(|(letter, panel)| curves(figure, letter, panel)).collect();
    let id = format!("figure-{}", figure.number);
    page::plots((&id, &format!("Figure {}: {}", figure.number, figure.title), &told.join("\n")), &panels)
}

fn curves(figure: &Figure, letter: char, panel: &Curves) -> Panel {
    let series = panel.series.iter().map(|series| Series {
        name: series.name.clone(),
        style: Style::Line,
        points: series.points.iter().copied().filter(|(_, speedup)| *speedup >= LEAST).collect(),
    });
    Panel {
        title: format!("({letter}) c(n) = {}", panel.pattern),
        x: Axis { label: figure.x.into(), log: figure.log_x },
        y: Axis { label: "speed-up".into(), log: true },
        series: series.collect(),
        lines: vec![],
        fits: vec![],
    }
}

fn tables(assumed: &Assumed, two: &TableTwo, statements: &[Statement]) -> Vec<Table> {
    vec![
        one_table(),
        two_table(two),
        reasons_table(two),
        copies_table(two),
        best_table(assumed),
        said(statements),
        slips_table(),
    ]
}

fn table(title: &str, explanation: &str, columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let columns = columns.iter().map(|column| column.to_string()).collect();
    Table { title: title.into(), explanation: explanation.into(), columns, rows }
}

fn reasons_table(two: &TableTwo) -> Table {
    let rows = reasons(two).into_iter().map(|reason| vec![reason]).collect();
    table("What makes the differences of Table II", "", &["reason"], rows)
}

fn best_table(assumed: &Assumed) -> Table {
    let some = |value: Option<f64>| value.map_or("–".into(), number);
    let row = |one: &BestNodes| {
        vec![
            format!("c(n) = {}, loss {}", one.pattern, testbed_lossy::figures::percent(one.loss)),
            some(one.printed),
            some(one.exact),
            one.whole.map_or("–".into(), |whole| whole.to_string()),
            some(one.printed.zip(one.exact).map(|(printed, exact)| exact / printed)),
        ]
    };
    table(
        "The best numbers of nodes of Figure 7",
        "Two copies, communication takes no time. The printed ones are approximations for small losses, rounded down; of \
         n log n the paper has none. Where there is no number, it is greater than a double holds.",
        &["", "printed", "exact", "whole", "exact by printed"],
        best(&assumed.losses, 2).iter().map(row).collect(),
    )
}

fn said(statements: &[Statement]) -> Table {
    let row = |one: &Statement| {
        let holds = if one.holds { "yes" } else { "no" };
        vec![format!("Figure {}", one.figure), one.says.into(), holds.into(), one.found.clone()]
    };
    table(
        "What the text says of the figures",
        "",
        &["", "says", "holds", "found"],
        statements.iter().map(row).collect(),
    )
}

fn slips_table() -> Table {
    let row = |one: &testbed_lossy::paper::slips::Slip| {
        vec![one.place.into(), one.printed.into(), one.should_be.into(), one.evidence.clone()]
    };
    let rows = slips().iter().map(row).collect();
    table("Slips of the paper", "", &["section", "printed", "should be", "shown by"], rows)
}

fn foot() -> String {
    format!(
        "<footer><p>Made by <code>testbed experiment lbsp</code>, version {}. The same as data is in \
         <code>lbsp.json</code>.</p></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::super::table::two;
    use super::*;

    #[test]
    fn the_page_has_all_figures_tables_and_reasons() {
        let page = html(&Assumed::default(), &two()).unwrap();
        for wanted in
            ["id=\"figure-7\"", "id=\"figure-12\"", "Table I:", "Table II:", "a 6 for a 3", "Slips of the paper"]
        {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert_eq!(page.matches("class=\"plot\"").count(), 36);
    }
}
