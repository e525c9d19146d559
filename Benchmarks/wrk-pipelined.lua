-- Sends sixteen requests in one go, and the next when all are answered; reports as wrk-report.lua does.
local requests

function init()
  requests = string.rep(wrk.format(), 16)
end

function request()
  return requests
end

dofile("Benchmarks/wrk-report.lua")
