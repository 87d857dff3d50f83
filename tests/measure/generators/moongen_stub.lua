-- SPDX-License-Identifier: Apache-2.0
--- Stands in for MoonGen where there is no card for DPDK: the calls that linerate.lua makes, on a clock
-- that moves when it is read. The card sends all that it is given, and gets it back at once.
--
--   luajit moongen_stub.lua linerate.lua --dpdk-config=dpdk-conf.lua ARGUMENTS
--
-- What it was asked for is printed on standard error as NAME=VALUE. Settings come by the environment:
-- STUB_STAMPS hardware|software, STUB_LINK up|down, STUB_SPEED_MBPS, STUB_SENT_FACTOR (a register that
-- lies), STUB_CLOCK_FACTOR (a clock that is off), STUB_LOSS_RATIO, STUB_FAILS (its words), STUB_DRIVER, STUB_CARDS.
local function setting(name, otherwise)
	return os.getenv("STUB_" .. name) or otherwise
end

local LATENCY_S = 20e-6
local STEP_S = 5e-6
local now_s = 1000
local events, made, tasks = {}, { sizes = {}, ports = {}, gaps = {} }, {}
local speed_mbps = tonumber(setting("SPEED_MBPS", "10000"))
local loss_ratio = tonumber(setting("LOSS_RATIO", "0"))
local sent_factor = tonumber(setting("SENT_FACTOR", "1"))
local clock_factor = tonumber(setting("CLOCK_FACTOR", "1"))

local function tell(name, value)
	io.stderr:write(("%s=%s\n"):format(name, tostring(value)))
end

local function record(count)
	events[#events + 1] = { now_s, count }
end

local function counted()
	local sum = 0
	for _, event in ipairs(events) do
		if event[1] <= now_s then
			sum = sum + event[2]
		end
	end
	return sum
end

local mg = {}
function mg.getTime()
	now_s = now_s + STEP_S
	return now_s * clock_factor
end
function mg.getCyclesFrequency()
	return 1e9
end
function mg.getCycles()
	return now_s * 1e9
end
function mg.sleepMillisIdle(ms)
	now_s = now_s + ms / 1e3
end
function mg.setRuntime(seconds)
	tell("runtime_s", seconds)
end
function mg.running()
	return true
end
function getMonotonicTime()
	return now_s
end

--- As between tasks of MoonGen: plain values are copied, its own objects found again.
local function passed(value)
	if type(value) ~= "table" or value.is_stub then
		assert(type(value) ~= "function", "a function cannot be passed to a task")
		return value
	end
	assert(getmetatable(value) == nil, "a metatable does not survive")
	local copy = {}
	for name, element in pairs(value) do
		copy[name] = passed(element)
	end
	return copy
end

function mg.startTask(name, ...)
	local arguments, begin_s = { ... }, now_s
	for at, value in ipairs(arguments) do
		arguments[at] = passed(value)
	end
	local results = { _G[name](unpack(arguments)) }
	tasks[#tasks + 1] = name
	now_s = begin_s -- others run at the same time
	return {
		wait = function()
			return unpack(results)
		end,
	}
end

--- A buffer, and through it the packet's header.
local function buffer()
	local one = { is_stub = true, header = {}, bytes = 0 }
	local packet = { ip4 = {}, udp = {} }
	function packet:fill(fields)
		for name, value in pairs(fields) do
			one.header[name] = value
		end
		one.bytes = fields.pktLength
	end
	function packet.ip4:setLength(bytes)
		one.ip_bytes = bytes
	end
	function packet.udp:setLength(bytes)
		one.udp_bytes = bytes
	end
	function packet.udp:setSrcPort(port)
		one.header.udpSrc = port
	end
	function packet.udp:getDstPort()
		return one.header.udpDst
	end
	function one:getUdpPacket()
		return packet
	end
	function one:setSize(bytes)
		one.bytes = bytes
	end
	function one:getSoftwareTxTimestamp()
		return one.stamp
	end
	return one
end

local function buffers(size, prepare)
	local array = { is_stub = true, size = size, max_size = size }
	for at = 1, size do
		array[at] = buffer()
		if prepare then
			prepare(array[at])
		end
	end
	function array:alloc(bytes)
		self:allocN(bytes, self.max_size)
	end
	function array:allocN(bytes, count)
		assert(count <= self.max_size, "enlarging a bufArray is not supported")
		for at = 1, self.max_size do
			array[at] = at <= count and buffer() or nil
			if at <= count and prepare then
				prepare(array[at])
				array[at].bytes = bytes
			end
		end
		array.size = count
	end
	function array:offloadUdpChecksums() end
	function array:free() end
	return array
end

local memory = {}
function memory.createMemPool(prepare)
	return {
		is_stub = true,
		bufArray = function(_, size)
			return buffers(size, prepare)
		end,
	}
end
function memory.bufArray(size)
	return buffers(size)
end

local underway = {}
local last_s
local function account(one)
	made.sizes[one.bytes] = (made.sizes[one.bytes] or 0) + 1
	made.ports[one.header.udpSrc] = true
	assert(not one.ip_bytes or (one.ip_bytes == one.bytes - 14 and one.udp_bytes == one.bytes - 34))
end

local function tx_queue(id)
	local queue = { is_stub = true, id = id }
	function queue:send(array)
		for at = 1, array.size do
			account(array[at])
		end
		if last_s and last_s < now_s then
			made.gaps[#made.gaps + 1] = now_s - last_s
		end
		last_s = now_s
		record(array.size)
	end
	function queue:sendWithTimestamp(array)
		array[1].stamp = now_s * 1e9
		underway[#underway + 1] = { now_s + LATENCY_S, array[1] }
		record(1)
	end
	return queue
end

local function rx_queue(id)
	local queue = { is_stub = true, id = id }
	function queue:tryRecv(array, wait)
		assert(wait == 0)
		local first = underway[1]
		if not first or first[1] > now_s then
			return 0
		end
		array[1] = table.remove(underway, 1)[2]
		return 1
	end
	return queue
end

local card = { is_stub = true }
if setting("STAMPS", "hardware") == "hardware" then
	card.timeRegisters, card.supportsFdir = { 1, 2, 3, 4 }, true
end
function card:getTxQueue(id)
	return tx_queue(id)
end
function card:getRxQueue(id)
	tell("rx_queue", id)
	return rx_queue(id)
end
function card:getTxStats()
	return math.floor(counted() * sent_factor)
end
function card:getRxStats()
	return math.floor(counted() * (1 - loss_ratio))
end
function card:getLinkStatus()
	return { status = setting("LINK", "up") == "up", speed = speed_mbps }
end
function card:getDriverName()
	return setting("DRIVER", "net_ixgbe")
end

local device = {}
function device.numDevices()
	return tonumber(setting("CARDS", "1"))
end
function device.config(arguments)
	tell("tx_queues", arguments.txQueues)
	assert(setting("FAILS", "") == "", setting("FAILS"))
	return card
end
function device.waitForLinks() end

local timestamping = {}
function timestamping:newUdpTimestamper(txQueue, rxQueue)
	return {
		measureLatency = function(_, bytes, modify)
			local one = buffer()
			modify(one)
			tell("probe_bytes", bytes)
			record(1)
			now_s = now_s + LATENCY_S
			return LATENCY_S * 1e9
		end,
	}
end

for name, module in pairs { moongen = mg, memory = memory, device = device, timestamping = timestamping } do
	package.preload[name] = function()
		return module
	end
end

local function settings_of(words)
	for _, word in ipairs(words) do
		local path = word:match("^%-%-dpdk%-config=(.*)$")
		if path then
			local script = assert(loadfile(path))
			setfenv(script, setmetatable({
				DPDKConfig = function(fields)
					tell("pci", table.concat(fields.pciWhitelist, ","))
					tell("cores", table.concat(fields.cores, ","))
					tell("cli", table.concat(fields.cli, " "))
				end,
			}, { __index = _G }))
			script()
		end
	end
end

local script_path = arg[1]
local words = { unpack(arg, 2) }
package.path = package.path .. ";" .. script_path:match("(.-)/[^/]+$") .. "/?.lua"
assert(loadfile(script_path))()
settings_of(words)
for at, word in ipairs(words) do
	words[at] = tonumber(word) or word -- as MoonGen does
end
print("[INFO]  Initializing DPDK. This will take a few seconds...")
local ok, trace = xpcall(function()
	master(unpack(words))
end, debug.traceback)
if not ok then
	print("[FATAL] Lua error in task master\n" .. trace) -- and it ends with 0
end
for bytes, count in pairs(made.sizes) do
	tell("size_" .. bytes, count)
end
local ports = 0
for _ in pairs(made.ports) do
	ports = ports + 1
end
tell("ports", ports)
tell("tasks", table.concat(tasks, ","))
for _, gap_s in ipairs(made.gaps) do
	io.stderr:write(("gap=%.9f\n"):format(gap_s))
end
