-- SPDX-License-Identifier: Apache-2.0
--- Sends one load from one card, counts what leaves it and comes back, and times probes.
--
--   MoonGen linerate.lua --dpdk-config=dpdk-conf.lua --frame-bytes 64 --rate-mpps 1 --seconds 5
--
-- Counts are the card's own registers, read by the master alone and printed raw. Rates are kept by the
-- clock: a packet goes out when it is due, several at once where a task is late. A probe is a packet of
-- the load that carries a stamp: the card's where it can, else the clock's just before it is sent.
local mg = require "moongen"
local memory = require "memory"
local device = require "device"
local timestamping = require "timestamping"
local Load = require "linerate_load"
local report = require "linerate_report"

local BATCH_PACKETS = 64
local LAUNCH_S = 2 -- tasks start, and fill their buffers
local SETTLE_MS = 2000 -- the far end's driver sees the link later than ours
local DRAIN_MS = 500
local BOUND_S = 10
local EXIT_BAD_INPUT, EXIT_FAILED, EXIT_CANNOT_HERE = 2, 3, 4

-- Those of linerate's own generator.
local SOURCE_MAC, DESTINATION_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
local SOURCE_IP, DESTINATION_IP = "198.18.0.1", "198.19.0.1"
local SOURCE_PORT_FIRST, PORT_DISCARD, PORT_PTP = 1024, 9, 319
-- The smallest UDP packet that cards stamp, without FCS.
local HARDWARE_PROBE_BYTES = 80
local ETHERNET_BYTES, IP_BYTES = 14, 20

local function say(fields)
	io.stdout:write(report.line(fields))
	io.stdout:flush()
end

local function refuse(code, words)
	io.stderr:write("linerate.lua: " .. words .. "\n")
	os.exit(code)
end

--- Cards that MoonGen knows the clock's registers of, and can steer stamped packets on.
local function stamps_of(card)
	return card.timeRegisters and card.supportsFdir and "hardware" or "software"
end

local function sleep_until(time_s)
	while mg.running() and mg.getTime() < time_s do
		mg.sleepMillisIdle(1)
	end
end

local function counters(card)
	local sent, received = card:getTxStats(), card:getRxStats()
	return { at_s = mg.getTime(), monotonic_s = getMonotonicTime(), sent = sent, received = received }
end

--- Print the counters each second until the end; both clocks run over the same time.
local function watch(card, first, finish)
	local nth = 0
	while mg.running() and mg.getTime() < finish do
		nth = nth + 1
		sleep_until(math.min(finish, first.at_s + nth))
		local now = counters(card)
		say {
			kind = "second", at_ns = math.floor((now.at_s - first.at_s) * 1e9),
			sent = now.sent - first.sent, received = now.received - first.received,
		}
	end
	return { at_s = mg.getTime(), monotonic_s = getMonotonicTime() }
end

local function start_tasks(load, card, stamps, begin, finish)
	local tasks = {}
	for index = 1, load.threads do
		tasks[index] = mg.startTask("linerateLoad", load:plain(), index, card:getTxQueue(index), begin, finish)
	end
	local probing = mg.startTask("linerateProbe", load:plain(), stamps, card:getTxQueue(0),
		card:getRxQueue(stamps == "hardware" and 1 or 0), begin, finish)
	return tasks, probing
end

--- What the tasks return; a task that failed returns nothing, and has printed why.
local function results(tasks, probing)
	local given, burst_packets = 0, 0
	for _, task in ipairs(tasks) do
		local task_given, task_burst = task:wait()
		if not task_given then
			refuse(EXIT_FAILED, "a task that sends has failed; MoonGen's own words are above")
		end
		given, burst_packets = given + task_given, math.max(burst_packets, task_burst)
	end
	local probes = probing:wait()
	if not probes then
		refuse(EXIT_FAILED, "the task of the probes has failed; MoonGen's own words are above")
	end
	return given, burst_packets, probes
end

local function run(load, card, stamps)
	local begin = mg.getTime() + LAUNCH_S
	local counted = begin + load.warm_up_seconds
	local finish = counted + load.seconds
	local tasks, probing = start_tasks(load, card, stamps, begin, finish)
	-- Without a warm-up the first look comes before the first packet.
	sleep_until(load.warm_up_seconds > 0 and counted or begin - 0.05)
	local first = counters(card)
	local last = watch(card, first, finish)
	local given, burst_packets, probes = results(tasks, probing)
	mg.sleepMillisIdle(DRAIN_MS)
	local drained = counters(card)
	say {
		kind = "done",
		duration_ns = math.floor((finish - math.max(begin, first.at_s)) * 1e9),
		looked_tsc_ns = math.floor((last.at_s - first.at_s) * 1e9),
		looked_monotonic_ns = math.floor((last.monotonic_s - first.monotonic_s) * 1e9),
		given = given + probes.sent, burst_packets = burst_packets,
		sent = drained.sent - first.sent, received = drained.received - first.received,
		probes_sent = probes.sent, probes_back = probes.back, latency = probes.latency,
	}
end

function master(...)
	local load, words = Load.parse({ ... })
	if not load then
		refuse(EXIT_BAD_INPUT, words)
	end
	local cards = device.numDevices()
	if cards ~= 1 then
		refuse(EXIT_CANNOT_HERE, ("MoonGen finds %d cards, and one was named"):format(cards))
	end
	local card = device.config { port = 0, txQueues = load.threads + 1, rxQueues = 2 }
	device.waitForLinks()
	local link = card:getLinkStatus()
	if not link.status then
		refuse(EXIT_CANNOT_HERE, "the card's link is down; check the cable and the other end")
	end
	mg.setRuntime(SETTLE_MS / 1e3 + LAUNCH_S + load.warm_up_seconds + load.seconds + BOUND_S)
	mg.sleepMillisIdle(SETTLE_MS)
	load:keep_to_link(link.speed)
	local stamps = stamps_of(card)
	say {
		kind = "ready", driver = card:getDriverName(), speed_mbps = link.speed, stamps = stamps,
		pattern = load.pattern, rate_mpps = load.rate_mpps,
	}
	run(load, card, stamps)
end

local function fill_header(buffer, bytes, destination_port)
	buffer:getUdpPacket():fill {
		ethSrc = SOURCE_MAC, ethDst = DESTINATION_MAC, ip4Src = SOURCE_IP, ip4Dst = DESTINATION_IP,
		udpSrc = SOURCE_PORT_FIRST, udpDst = destination_port, pktLength = bytes,
	}
end

--- A function that makes so many packets of the load: flows and sizes in turn.
local function packet_maker(load)
	local largest, slots, slot, flow = load:packet_bytes_max(), #load.frame_bytes, 0, 0
	local buffers = memory.createMemPool(function(buffer)
		fill_header(buffer, largest, PORT_DISCARD)
	end):bufArray(BATCH_PACKETS)
	return function(count)
		buffers:allocN(largest, count)
		for _, buffer in ipairs(buffers) do
			local packet = buffer:getUdpPacket()
			if slots > 1 then
				local bytes = load:packet_bytes(slot + 1)
				buffer:setSize(bytes)
				packet.ip4:setLength(bytes - ETHERNET_BYTES)
				packet.udp:setLength(bytes - ETHERNET_BYTES - IP_BYTES)
				slot = (slot + 1) % slots
			end
			packet.udp:setSrcPort(SOURCE_PORT_FIRST + flow)
			flow = (flow + 1) % load.flows
		end
		buffers:offloadUdpChecksums()
		return buffers
	end
end

--- Task: send a share of the load; returns packets given to the card, and the most at once.
function linerateLoad(fields, index, queue, begin, finish)
	local load = Load.revive(fields)
	math.randomseed(load.seed + index)
	local flood, gap, make = load.pattern == "flood", load:gaps(), packet_maker(load)
	local due, given, burst_packets = begin + (flood and 0 or load:first_s(index)), 0, 0
	while mg.running() do
		local now, count = mg.getTime(), 0
		if now >= finish then
			break
		elseif flood and now >= begin then
			count = BATCH_PACKETS
		end
		while not flood and count < BATCH_PACKETS and due <= now do
			due, count = due + gap(), count + 1
		end
		if count > 0 then
			queue:send(make(count))
			given, burst_packets = given + count, math.max(burst_packets, count)
		end
	end
	return given, burst_packets
end

--- A function that sends a probe and waits for it; the card stamps it on both ways.
local function hardware_probe(txQueue, rxQueue)
	local stamper, steered = timestamping:newUdpTimestamper(txQueue, rxQueue), false
	return function()
		return stamper:measureLatency(HARDWARE_PROBE_BYTES, function(buffer)
			fill_header(buffer, HARDWARE_PROBE_BYTES, PORT_PTP)
			local skip = steered -- filters are set anew for other ports, and these stay
			steered = true
			return skip
		end)
	end
end

local function probe_by_hardware(txQueue, rxQueue, probes, schedule)
	local probe = hardware_probe(txQueue, rxQueue)
	while mg.running() and mg.getTime() < schedule.finish do
		if mg.getTime() >= schedule.due then
			schedule.due = schedule.due + schedule.gap_s
			local latency_ns = probe()
			schedule:count(probes, 1, latency_ns)
		end
	end
end

--- All that comes back is read; what carries the probes' port is one.
local function probe_by_clock(txQueue, rxQueue, bytes, probes, schedule)
	local one = memory.createMemPool(function(buffer)
		fill_header(buffer, bytes, PORT_PTP)
	end):bufArray(1)
	local many, hertz = memory.bufArray(BATCH_PACKETS), mg.getCyclesFrequency()
	local finish = schedule.finish + DRAIN_MS / 2e3
	while mg.running() and mg.getTime() < finish do
		if mg.getTime() >= schedule.due and schedule.due < schedule.finish then
			schedule.due = schedule.due + schedule.gap_s
			one:alloc(bytes)
			one:offloadUdpChecksums()
			txQueue:sendWithTimestamp(one)
			schedule:count(probes, 1)
		end
		local came = rxQueue:tryRecv(many, 0)
		local cycles = mg.getCycles()
		for nth = 1, came do
			if many[nth]:getUdpPacket().udp:getDstPort() == PORT_PTP then
				local passed = tonumber(cycles - many[nth]:getSoftwareTxTimestamp())
				schedule:count(probes, 0, passed / hertz * 1e9)
			end
		end
		many:free(came)
	end
end

--- Task: time probes; returns how many were sent and came back, and their latencies.
function linerateProbe(fields, stamps, txQueue, rxQueue, begin, finish)
	local load, histogram = Load.revive(fields), report.Histogram.new()
	local probes = { sent = 0, back = 0 }
	local schedule = { due = begin, gap_s = 1 / load:probes_per_second(), finish = finish }
	function schedule:count(counts, sent, latency_ns)
		if mg.getTime() < begin + load.warm_up_seconds then
			return
		end
		counts.sent = counts.sent + sent
		counts.back = counts.back + (latency_ns and 1 or 0)
		histogram:add(latency_ns)
	end
	if stamps == "hardware" then
		probe_by_hardware(txQueue, rxQueue, probes, schedule)
	else
		probe_by_clock(txQueue, rxQueue, load:packet_bytes_max(), probes, schedule)
	end
	probes.latency = histogram:fields()
	return probes
end
