-- SPDX-License-Identifier: Apache-2.0
--- What is to be sent: read from the command line, and when each packet is due.
-- Nothing here knows MoonGen, so that any Lua can run it.
local Load = {}
Load.__index = Load

local FCS_BYTES, WIRE_OVERHEAD_BYTES = 4, 20
local FRAME_BYTES_MIN, FRAME_BYTES_MAX = 64, 1518
local SLOTS_MAX = 1024
local PATTERNS = { flood = true, cbr = true, poisson = true }
-- Probes of latency are packets of the load, and no more than a hundredth of it.
local PROBES_PER_SECOND_MAX, PROBE_RATIO = 1000, 0.01

local NUMBERS = { -- name = { least, most, where it is left out }
	["rate-mpps"] = { 1e-6, 1000, 0 },
	["link-gbps"] = { 0.001, 1000, 0 },
	["seconds"] = { 0.001, 3600 },
	["warm-up-seconds"] = { 0, 60, 0 },
	["flows"] = { 1, 60000, 1 },
	["burst-packets"] = { 1, 4096, 1 },
	["threads"] = { 1, 64, 1 },
	["seed"] = { 0, 2 ^ 31, 1 },
}
local WHOLE = { ["flows"] = true, ["burst-packets"] = true, ["threads"] = true, ["seed"] = true }

local function checked_number(name, got)
	local least, most = NUMBERS[name][1], NUMBERS[name][2]
	local number = tonumber(got)
	if not number or not (number >= least and number <= most) or (WHOLE[name] and number % 1 ~= 0) then
		return nil, ("--%s %s: allowed are %s%g..%g"):format(
			name, tostring(got), WHOLE[name] and "whole numbers " or "", least, most)
	end
	return number
end

local function frame_sizes(text)
	local sizes = {}
	for word in tostring(text):gmatch("[^,]+") do
		local size = tonumber(word)
		if not size or size % 1 ~= 0 or size < FRAME_BYTES_MIN or size > FRAME_BYTES_MAX then
			return nil, ("--frame-bytes %s: allowed are sizes with FCS, %d..%d, one for each slot of a mix")
				:format(tostring(text), FRAME_BYTES_MIN, FRAME_BYTES_MAX)
		end
		sizes[#sizes + 1] = size
	end
	if #sizes == 0 or #sizes > SLOTS_MAX then
		return nil, ("--frame-bytes: %d sizes; allowed are 1..%d"):format(#sizes, SLOTS_MAX)
	end
	return sizes
end

--- Pairs of a name and a value; MoonGen leaves its own option among a script's arguments.
local function options(arguments)
	local found, at = {}, 1
	while at <= #arguments do
		local word = tostring(arguments[at])
		if word:match("^%-%-dpdk%-config=") then
			at = at + 1
		else
			local name = word:match("^%-%-(.+)$")
			if not name or arguments[at + 1] == nil then
				return nil, ("%s: a value is missing, or it is not an option"):format(word)
			end
			found[name] = arguments[at + 1]
			at = at + 2
		end
	end
	return found
end

--- Read a command line; nil and words where it asks for what cannot be.
function Load.parse(arguments)
	local found, words = options(arguments)
	if not found then
		return nil, words
	end
	local load = { pattern = found["pattern"] or "cbr" }
	load.frame_bytes, words = frame_sizes(found["frame-bytes"])
	if not load.frame_bytes then
		return nil, words
	end
	for name, bounds in pairs(NUMBERS) do
		local value
		if found[name] == nil and bounds[3] then
			value = bounds[3]
		else
			value, words = checked_number(name, found[name])
			if not value then
				return nil, words
			end
		end
		load[name:gsub("%-", "_")] = value
	end
	for name in pairs(found) do
		if not NUMBERS[name] and name ~= "pattern" and name ~= "frame-bytes" then
			return nil, ("--%s: unknown"):format(name)
		end
	end
	if not PATTERNS[load.pattern] then
		return nil, ("--pattern %s: allowed are flood, cbr, poisson"):format(tostring(load.pattern))
	end
	if (load.pattern == "flood") ~= (load.rate_mpps == 0) then
		return nil, "--rate-mpps: flood goes without a rate, every other pattern with one"
	end
	return Load.revive(load)
end

--- Make a load of plain fields, which is all that passes from one task to another.
function Load.revive(fields)
	return setmetatable(fields, Load)
end

--- The fields alone.
function Load:plain()
	local fields = {}
	for name, value in pairs(self) do
		fields[name] = value
	end
	return fields
end

function Load:mean_frame_bytes()
	local sum = 0
	for _, size in ipairs(self.frame_bytes) do
		sum = sum + size
	end
	return sum / #self.frame_bytes
end

--- Most frames a second that a link carries.
function Load:line_pps(link_gbps)
	return link_gbps * 1e9 / 8 / (self:mean_frame_bytes() + WIRE_OVERHEAD_BYTES)
end

--- Keep to the link that is imitated, where the card's own is faster.
function Load:keep_to_link(card_mbps)
	if self.link_gbps == 0 then
		return
	end
	local line_mpps = self:line_pps(self.link_gbps) / 1e6
	if self.pattern ~= "flood" then
		self.rate_mpps = math.min(self.rate_mpps, line_mpps)
	elseif self.link_gbps * 1e3 < card_mbps then
		self.pattern, self.rate_mpps = "cbr", line_mpps
	end
end

--- Bytes of the frame in a slot that a buffer holds: the card adds the FCS.
function Load:packet_bytes(slot)
	return self.frame_bytes[slot] - FCS_BYTES
end

function Load:packet_bytes_max()
	return math.max(unpack(self.frame_bytes)) - FCS_BYTES
end

function Load:probes_per_second()
	if self.pattern == "flood" then
		return PROBES_PER_SECOND_MAX
	end
	return math.min(PROBES_PER_SECOND_MAX, self.rate_mpps * 1e6 * PROBE_RATIO)
end

--- Rate of one of the tasks that share the load, without the probes; 0 when flooding.
function Load:task_pps()
	if self.pattern == "flood" then
		return 0
	end
	return (self.rate_mpps * 1e6 - self:probes_per_second()) / self.threads
end

--- A function that gives one time gap after the other, in seconds: from a packet of a task to its next.
function Load:gaps()
	local pps, burst, sent = self:task_pps(), self.burst_packets, 0
	if self.pattern == "poisson" then
		return function()
			return -math.log(1 - math.random()) / pps
		end
	end
	return function()
		sent = sent + 1
		return sent % burst == 0 and burst / pps or 0
	end
end

--- When a task's first packet is due: evenly spread tasks take turns, so that together they are even.
function Load:first_s(index)
	if self.pattern == "poisson" then
		return self:gaps()()
	end
	return (index - 1) * self.burst_packets / (self:task_pps() * self.threads)
end

return Load
