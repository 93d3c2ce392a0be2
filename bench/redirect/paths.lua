-- Visits the paths of a file in turn. Everything but the path is put together once.
local paths = {}
local turn = 0
local before, after

function init(args)
  for path in io.lines(args[1]) do paths[#paths + 1] = path end
  local whole = wrk.format("GET", "/PATH")
  local from, to = whole:find("/PATH", 1, true)
  before, after = whole:sub(1, from - 1), whole:sub(to + 1)
end

function request()
  turn = turn % #paths + 1
  return before .. paths[turn] .. after
end
