-- SPDX-License-Identifier: Apache-2.0
--- DPDK's part of MoonGen's settings: the one card and the cores that linerate was given.
-- They come by the environment, so that nothing is written for a run.
local cores = {}
for core in (os.getenv("LINERATE_CORES") or ""):gmatch("%d+") do
	cores[#cores + 1] = tonumber(core)
end

DPDKConfig {
	cores = cores,
	pciWhitelist = { os.getenv("LINERATE_PCI") },
	-- Pages are given back when the process is gone, however it went.
	cli = { "--huge-unlink", "--file-prefix", "linerate" },
}
