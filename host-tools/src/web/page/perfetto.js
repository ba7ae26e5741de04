// Hands a trace over to Perfetto's page, in a tab of its own: it asks whoever sits there whether they trust this
// page, and reads the trace in the browser (Perfetto’s documents, “Deep linking to the Perfetto UI”).

// How often that page is asked whether it is there, in milliseconds, and for how long.
const ASKED = 100;
const ASKED_FOR = 60_000;

// A test has a page of its own.
window.testbed.perfetto = "https://ui.perfetto.dev";
// The tab that waits for a trace.
let perfetto = null;

function openPerfetto() {
  perfetto = window.open(window.testbed.perfetto);
  if (perfetto) send("file", { name: "trace.perfetto", to: "perfetto" });
  else trouble("The browser has not let this page open another one.\nhelp: allow it, or take the file for Perfetto and open it there");
}

/** Gives the trace to the tab that was opened for it, as soon as that answers. */
function handOver({ bytes, message }) {
  if (message) return trouble(message);
  const [tab, origin, since] = [perfetto, new URL(window.testbed.perfetto).origin, performance.now()];
  const end = () => {
    clearInterval(timer);
    removeEventListener("message", heard);
  };
  const heard = ({ source, data }) => {
    if (source !== tab || data !== "PONG") return;
    end();
    tab.postMessage({ perfetto: { buffer: bytes.buffer, title: record.program, fileName: "trace.perfetto-trace" } }, origin);
  };
  const timer = setInterval(() => {
    if (performance.now() - since < ASKED_FOR && !tab.closed) return tab.postMessage("PING", origin);
    end();
    if (!tab.closed) trouble("Perfetto’s page has not answered.\nhelp: take the file for Perfetto and open it there");
  }, ASKED);
  addEventListener("message", heard);
}
