//! Tables 6 and 7: the services' latencies, ours beside the report's.

use super::material::{Found, Material};
use super::model::{Linear, Other, Service};
use super::queries::of_figure;
use super::report::{self, INSTRUCTIONS_A_MS, KB};
use crate::fit;
use crate::model::Fit;
use crate::observed::ObserveError;
use crate::query::Answer;

/// Below this R^2 a latency's slope says nothing, and its mean is given.
const TELLS: f64 = 0.8;
/// The figure of local communication.
const LOCAL: u8 = 24;

/// The fit of a latency, in cycles and bytes; a constant where no line tells more.
pub fn fitted(answer: &Answer, is_line: bool) -> Option<Fit> {
    let (name, points) = answer.first()?;
    let line = fit::line(name, points).filter(|line| is_line && line.r2.is_some_and(|r2| r2 >= TELLS));
    line.or_else(|| fit::constant(name, points))
}

/// Table 6, for each kernel and load.
///
/// # Errors
/// A run does not show what its program does.
pub fn table6(material: &Material) -> Result<Vec<Service>, ObserveError> {
    let mut services = Vec::new();
    for service in report::SERVICES {
        let Some(query) = of_figure(service.figure) else { continue };
        for found in material.ask(query)? {
            let Some(fit) = fitted(&found.answer, service.slope.is_some()) else { continue };
            services.push(row(material, service, &found, &fit));
        }
    }
    Ok(services)
}

fn row(material: &Material, service: report::Service, found: &Found, fit: &Fit) -> Service {
    // What a constant is compared with is the report's value at the mean length.
    let is_line = fit.r2.is_some();
    let middle = if is_line { 0.0 } else { mean_x(found) / KB };
    // What a byte takes by so much, the rest by the other.
    let scaled = |byte: f64, scale: f64| Linear {
        slope: is_line.then_some(fit.slope * KB * byte),
        intercept: fit.intercept * scale,
        below: fit.below * scale,
        above: fit.above * scale,
    };
    let linear = |scale: f64| scaled(scale, scale);
    let cpi = material.cpi(found.kernel);
    // A local message's bytes are copied and no more; a remote one's also fly.
    let byte = if service.figure == LOCAL { cpi.copy } else { cpi.services };
    let executed = |unit: f64| scaled(1.0 / (byte * unit), 1.0 / (cpi.services * unit));
    let report_ms = executed(INSTRUCTIONS_A_MS);
    Service {
        name: service.name.into(),
        kernel: found.kernel.name().into(),
        load: found.load().into(),
        figure: service.figure,
        cycles: linear(1.0),
        instructions: executed(1.0),
        microseconds: linear(material.microseconds(1.0)),
        report_ms,
        report: Linear {
            slope: service.slope,
            intercept: service.intercept,
            below: service.below,
            above: service.above,
        },
        intercept_ratio: (service.intercept + service.slope.unwrap_or(0.0) * middle) / report_ms.intercept,
        slope_ratio: service.slope.zip(report_ms.slope).map(|(report, ours)| report / ours),
        r2: fit.r2,
    }
}

/// Mean length of the messages.
fn mean_x(found: &Found) -> f64 {
    let points = found.answer.first().map_or(&[][..], |(_, points)| points);
    points.iter().map(|point| point.0).sum::<f64>() / points.len().max(1) as f64
}

/// Table 7, beside the default kernel's services on the quiet machine.
pub fn table7(services: &[Service]) -> Vec<Other> {
    let others = report::OTHERS.iter().map(|&(project, service, milliseconds, figure, bytes)| {
        let nearest =
            services.iter().find(|one| one.figure == figure && one.kernel == "default" && one.load == "quiet");
        let ours = nearest.map_or("not measured".into(), |one| {
            let Linear { slope, intercept, .. } = one.microseconds;
            let ms = (intercept + slope.unwrap_or(0.0) * bytes / KB) / 1e3;
            format!("{ms:.3} ms ({})", one.name)
        });
        Other { project: project.into(), service: service.into(), milliseconds, ours }
    });
    others.collect()
}
