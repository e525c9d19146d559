-- Logs meals: the same body again and again, for as many users as there are tokens, since a user's logs are limited.
-- BENCH_TOKENS: tokens separated by spaces. BENCH_API_KEY: the key.
local requests, turn = {}, 0

function init()
  local body = '{"raw_input":"2 eggs and toast","meal_type":"breakfast"}'
  for token in os.getenv("BENCH_TOKENS"):gmatch("%S+") do
    requests[#requests + 1] = wrk.format("POST", nil, {
      ["Authorization"] = "Bearer " .. token,
      ["X-API-Key"] = os.getenv("BENCH_API_KEY"),
      ["Content-Type"] = "application/json",
    }, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

dofile("Benchmarks/wrk-report.lua")
