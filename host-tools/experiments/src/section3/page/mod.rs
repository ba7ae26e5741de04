//! The page of Figures 9 to 27 and Tables 6 and 7.

mod effects;
mod head;
mod services;

use super::model::Profile;
use crate::page::{self, PageError};
use head::TITLE;

const STYLE: &str = include_str!("style.css");

/// The page.
///
/// # Errors
/// A value that can't be shown, named by figure, panel and series or by service; a table whose rows
/// don't fit its columns.
pub fn html(profile: &Profile) -> Result<String, PageError> {
    let parts = [
        head::head(profile),
        head::navigation(profile),
        "<main id=\"main\" tabindex=\"-1\">\n".into(),
        head::contents(profile),
        services::table6(profile)?,
        page::figures(&profile.figures)?,
        effects::effects(profile),
        page::tables(&profile.tables)?,
        services::table7(profile),
        page::runs(&profile.runs, profile.clock_hz),
        "</main>\n".into(),
        head::foot(),
    ];
    Ok(page::html(&format!("{TITLE} – {}", profile.machine), STYLE, &parts))
}
