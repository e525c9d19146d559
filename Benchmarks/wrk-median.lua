-- Prints one line after a run: p50 and p99 in microseconds, answers over 399, socket errors, requests.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("report %d %d %d %d %d\n", latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, summary.requests))
end
