//! Effects that the report describes.

use testbed_trace::report::escape;

use super::super::model::{Effect, Profile};
use crate::page::told;

/// What the report describes: one block an effect, one line a kernel.
pub(super) fn effects(profile: &Profile) -> String {
    let mut blocks: Vec<Vec<&Effect>> = Vec::new();
    for effect in &profile.effects {
        match blocks.iter_mut().find(|block| block[0].name == effect.name) {
            Some(block) => block.push(effect),
            None => blocks.push(vec![effect]),
        }
    }
    let blocks: String = blocks.iter().map(|block| one(block)).collect();
    format!(
        "<section id=\"effects\">\n<h2>Effects that the report describes</h2>\n<p>Whether each can be seen here, on which kernel, and by which figures.</p>\n\
         <div class=\"effects\">\n{blocks}</div>\n</section>\n"
    )
}

fn one(block: &[&Effect]) -> String {
    let lines: String = block
        .iter()
        .map(|effect| {
            let (class, word) = if effect.shown { ("badge shown", "shown") } else { ("badge gone", "gone") };
            format!(
                "<li><span class=\"{class}\">{word}</span> <b>{}</b> {}</li>\n",
                escape(&effect.kernel),
                escape(&effect.evidence)
            )
        })
        .collect();
    format!(
        "<div class=\"card\">\n<h3>{}</h3>\n{}<ul>\n{lines}</ul>\n</div>\n",
        escape(&block[0].name),
        told(&block[0].report)
    )
}
