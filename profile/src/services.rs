//! Tables 6 and 7: the services' latencies, ours beside the report's.

use crate::fit;
use crate::material::{Found, Material};
use crate::model::{Fit, Linear, Other, Service};
use crate::observed::ObserveError;
use crate::query::Query;
use crate::report::{self, KB};

/// The fit of a latency, in cycles and bytes.
pub fn fitted(found: &Found, is_line: bool) -> Option<Fit> {
    let (name, points) = found.answer.first()?;
    if is_line {
        fit::line(name, points)
    } else {
        fit::constant(name, points)
    }
}

/// Table 6, for each kernel and load.
///
/// # Errors
/// A run does not show what its program does.
pub fn table6(material: &Material) -> Result<Vec<Service>, ObserveError> {
    let mut services = Vec::new();
    for service in report::SERVICES {
        let Some(query) = Query::of_figure(service.figure) else { continue };
        for found in material.ask(query)? {
            let Some(fit) = fitted(&found, service.slope.is_some()) else { continue };
            services.push(row(material, service, &found, &fit));
        }
    }
    Ok(services)
}

fn row(material: &Material, service: report::Service, found: &Found, fit: &Fit) -> Service {
    let linear = |scale: f64| Linear {
        slope: service.slope.map(|_| fit.slope * KB * scale),
        intercept: fit.intercept * scale,
        below: fit.below * scale,
        above: fit.above * scale,
    };
    let report_ms = linear(material.report_ms(found.kernel, 1.0));
    Service {
        name: service.name.into(),
        kernel: found.kernel.name().into(),
        load: found.load().into(),
        figure: service.figure,
        cycles: linear(1.0),
        instructions: linear(1.0 / material.cpi(found.kernel)),
        microseconds: linear(material.microseconds(1.0)),
        report_ms,
        report: Linear {
            slope: service.slope,
            intercept: service.intercept,
            below: service.below,
            above: service.above,
        },
        intercept_ratio: service.intercept / report_ms.intercept,
        slope_ratio: service.slope.zip(report_ms.slope).map(|(report, ours)| report / ours),
        r2: fit.r2,
    }
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
