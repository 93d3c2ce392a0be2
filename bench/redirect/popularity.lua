-- Visits the paths of a file by Zipf's law (s = 1): the n-th is drawn 1/n as often as the first one.
local ffi = require("ffi")
local paths = {}
local sums
local sum = 0
local before, after

function init(args)
  for path in io.lines(args[1]) do paths[#paths + 1] = path end
  math.randomseed(tonumber(args[2]))
  sums = ffi.new("double[?]", #paths + 1)
  for rank = 1, #paths do
    sum = sum + 1 / rank
    sums[rank] = sum
  end
  local whole = wrk.format("GET", "/PATH")
  local from, to = whole:find("/PATH", 1, true)
  before, after = whole:sub(1, from - 1), whole:sub(to + 1)
end

function request()
  local target = math.random() * sum
  local low, high = 1, #paths
  while low < high do
    local middle = math.floor((low + high) / 2)
    if sums[middle] < target then low = middle + 1 else high = middle end
  end
  return before .. paths[low] .. after
end
