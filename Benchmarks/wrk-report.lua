-- Prints one line after a run: requests per second, p99 in microseconds, answers over 399, socket errors.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("report %.0f %d %d %d\n", summary.requests / summary.duration * 1e6,
    latency:percentile(99), errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
