--- How often the bell strikes.
--- @param hour number
local function strikes(hour)
  return (hour - 1) % 12 + 1
end
