-- SPDX-License-Identifier: Apache-2.0
--- What is printed: one JSON object a line behind a mark, for MoonGen prints words of its own too.
local report = { MARK = "LINERATE " }

-- 32 buckets to an octave, as in bpf/traffic.h.
local SUB_BITS = 5

local encode

local function encode_table(value)
	local parts = {}
	if next(value) == nil or value[1] ~= nil then
		for _, element in ipairs(value) do
			parts[#parts + 1] = encode(element)
		end
		return "[" .. table.concat(parts, ", ") .. "]"
	end
	local names = {}
	for name in pairs(value) do
		names[#names + 1] = name
	end
	table.sort(names)
	for _, name in ipairs(names) do
		parts[#parts + 1] = ("%s: %s"):format(encode(name), encode(value[name]))
	end
	return "{" .. table.concat(parts, ", ") .. "}"
end

function encode(value)
	local kind = type(value)
	if kind == "table" then
		return encode_table(value)
	elseif kind == "number" then
		return value % 1 == 0 and ("%.0f"):format(value) or ("%.9g"):format(value)
	elseif kind == "boolean" then
		return tostring(value)
	end
	local escaped = tostring(value):gsub('[%c"\\\127-\255]', function(character)
		return ("\\u%04x"):format(character:byte())
	end)
	return '"' .. escaped .. '"'
end

--- A line for linerate to read, as one write.
function report.line(fields)
	return report.MARK .. encode(fields) .. "\n"
end

--- Lower bound of the bucket that holds a latency.
function report.bucket_lower_ns(latency_ns)
	local _, bits = math.frexp(latency_ns)
	local step = 2 ^ math.max(0, bits - SUB_BITS - 1)
	return math.floor(latency_ns / step) * step
end

local Histogram = {}
Histogram.__index = Histogram
report.Histogram = Histogram

function Histogram.new()
	return setmetatable({ counts = {}, samples = 0, sum_ns = 0, max_ns = 0 }, Histogram)
end

--- Count a latency; nil and what is not above zero are not latency.
function Histogram:add(latency_ns)
	if not latency_ns or latency_ns <= 0 then
		return
	end
	latency_ns = math.floor(latency_ns + 0.5)
	local lower_ns = report.bucket_lower_ns(latency_ns)
	self.counts[lower_ns] = (self.counts[lower_ns] or 0) + 1
	self.samples = self.samples + 1
	self.sum_ns = self.sum_ns + latency_ns
	self.max_ns = math.max(self.max_ns, latency_ns)
end

--- Sum, largest, and pairs of a lower bound and a count, ascending.
function Histogram:fields()
	local buckets = {}
	for lower_ns, count in pairs(self.counts) do
		buckets[#buckets + 1] = { lower_ns, count }
	end
	table.sort(buckets, function(one, other)
		return one[1] < other[1]
	end)
	return { sum_ns = self.sum_ns, max_ns = self.max_ns, buckets = buckets }
end

return report
