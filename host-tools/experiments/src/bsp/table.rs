//! The parameters as text.

use std::fmt::Write;

use super::parameters::Parameters;

/// Two tables: speeds and barriers, and what words cost.
pub fn text(all: &[Parameters]) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write(&mut text, all);
    text
}

fn write(text: &mut String, all: &[Parameters]) -> std::fmt::Result {
    let Some(first) = all.first() else { return Ok(()) };
    let speed = |kind: &str| first.speed.iter().find(|(name, _)| name == kind).map_or(0.0, |(_, speed)| *speed);
    let megahertz = f64::from(first.clock_hz) / 1e6;
    writeln!(
        text,
        "s, operations a second at {megahertz} MHz: {:.2} M of u32, {:.0} k of f32, {:.0} k of f64",
        speed("u32") / 1e6,
        speed("f32") / 1e3,
        speed("f64") / 1e3,
    )?;
    writeln!(text, "cycles of a superstep in which each process sends and receives h words: g h + l\n")?;
    writeln!(
        text,
        "             empty   words one by one, bsp_put      long messages: g, of the bus's                                     n 1/2, words"
    )?;
    writeln!(
        text,
        "   p slaves      l          g         l       bus      put         hpput       get         hpget       channels      put  hpput  get  hpget"
    )?;
    for one in all {
        write!(text, "{:>4} {:>6} {:>6}", one.processes, one.slaves, one.barrier)?;
        let Some([put, hpput, get, hpget]) = one.ways.get(..4) else {
            writeln!(text)?;
            continue;
        };
        write!(
            text,
            " {:>6.0} ±{:<3.0} {:>8.0} {:>9.2}",
            put.short.slope, put.short.slope_confidence, put.short.intercept, one.bus
        )?;
        for long in [put, hpput, get, hpget].map(|way| Some(&way.long)).into_iter().chain([one.channels.as_ref()]) {
            let slope = long.map_or("-".into(), |long| format!("{:.1}", long.slope));
            let of_bus = long.filter(|_| one.bus > 0.0).map(|long| format!("{:.2}x", long.slope / one.bus));
            write!(text, " {slope:>5} {:<6}", of_bus.unwrap_or("-".into()))?;
        }
        writeln!(text, "{:>4.0} {:>6.0} {:>4.0} {:>6.0}", put.half, hpput.half, get.half, hpget.half)?;
    }
    Ok(())
}
