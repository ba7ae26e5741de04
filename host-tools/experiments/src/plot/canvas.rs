//! Where plotters draws axes: SVG with classes instead of colours, so that the page's style decides
//! how they look in light and dark, and with tenths of a pixel. Plotters' own SVG backend has whole
//! pixels and fixed colours.

use std::convert::Infallible;
use std::fmt::Write;

use itertools::Itertools;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::RGBColor;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use super::text::{put, tenths, width, Anchor};

/// Pixels of plotters a pixel of the picture.
pub(crate) const FINE: f64 = 10.0;
/// Size of text that there must be room for, in pixels: that of a phone, where the picture is
/// small. The style sets what is shown.
pub(crate) const TEXT: f64 = 15.0;

/// What something is; takes a colour's place on its way through plotters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Axis,
    Grid,
    FineGrid,
    Tick,
}

const ROLES: [(Role, &str); 4] =
    [(Role::Axis, "axis"), (Role::Grid, "grid"), (Role::FineGrid, "grid fine"), (Role::Tick, "tick")];

impl Role {
    pub(crate) fn color(self) -> RGBColor {
        RGBColor(self as u8, 0, 0)
    }

    fn class(color: BackendColor) -> &'static str {
        ROLES.iter().find(|(role, _)| *role as u8 == color.rgb.0).map_or("", |(_, class)| class)
    }
}

/// Appends what is drawn to a text.
pub(crate) struct Canvas<'a> {
    pub(crate) out: &'a mut String,
    /// The size of the picture, in pixels.
    pub(crate) size: (f64, f64),
}

/// Place in the picture.
pub(crate) fn at((x, y): BackendCoord) -> (f64, f64) {
    (f64::from(x) / FINE, f64::from(y) / FINE)
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        ((self.size.0 * FINE) as u32, (self.size.1 * FINE) as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        self.draw_path([point, point], &color)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let mut points = path.into_iter().map(at).map(|(x, y)| format!("{} {}", tenths(x), tenths(y)));
        let class = Role::class(style.color());
        let _ = write!(self.out, r#"<path class="{class}" d="M{}"/>"#, points.join("L"));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, pos: BackendCoord) -> Drawn {
        let anchor = match style.anchor().h_pos {
            HPos::Left => Anchor::Start,
            HPos::Center => Anchor::Middle,
            HPos::Right => Anchor::End,
        };
        // From the anchor to the base line.
        let down = match style.anchor().v_pos {
            VPos::Top => 1.0,
            VPos::Center => 0.35,
            VPos::Bottom => -0.2,
        };
        let (x, y) = at(pos);
        put(self.out, Role::class(style.color()), (x, y + down * TEXT * 0.85), anchor, text);
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        _style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok(((width(text, TEXT) * FINE) as u32, (TEXT * FINE) as u32))
    }
}
