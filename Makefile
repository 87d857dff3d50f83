# setup   install everything (as root: system packages too); a second time it only checks
# demo    setup, then the whole job on this machine: measure, fit, validate, predict, report
# test    setup, then every test that this machine can run, but for those marked deep
# deep    setup, then the deep tests: more kills, more hosts, every notebook; some minutes more
# fuzz    setup, then FUZZ_SPECS changed pipelines through all that reads, compiles and runs them
# fuzz-readers  setup, then FUZZ_SECONDS of changed tables, plans, journals, models, captures, objects
# sanitize  setup, then a small campaign of each datapath with runners that check each access; as root
# lint    setup, then style and types of Python; style of C, and what two analysers say of it
# tidy    what clang-tidy (40 MB, installed where it is not) says of C that changed; of lint too
# browser Debian's chromium, with which tests open the page of a report: 0.4 GB, so not of setup
# docs    the site of docs/, notebooks and docstrings in build/site; needs no root
# lab     JupyterLab in notebooks/ on loopback, LAB_FLAGS passed on; needs no root
# words   collect the messages of reports into the catalogues of other languages
# other-debian  setup and OTHER on another release, SUITE, in a root file system of its own; as root
# clean   remove what was built; `make clean && rm -rf .venv` is a fresh clone again

# Debian keeps bpftool, ethtool and tc off an ordinary user's path.
export PATH := $(PATH):/usr/sbin:/sbin
# Ubuntu has bpftool in other packages: where it is on the path, its package does not matter.
BPFTOOL_PACKAGE := $(if $(shell command -v bpftool 2>/dev/null),,bpftool)
BUILD_PACKAGES := clang llvm $(BPFTOOL_PACKAGE) libbpf-dev libxdp-dev libelf-dev zlib1g-dev linux-libc-dev libc6-dev \
	gcc make pkg-config iproute2 ethtool util-linux python3 python3-venv clang-format
LAB_PACKAGES := iptables ipset nftables openssh-client openssh-server iputils-ping hping3 luajit netsniff-ng tshark \
	python3-scapy python3-bpfcc linux-headers-$(shell dpkg --print-architecture 2>/dev/null) linux-perf dpdk libdpdk-dev
PYTHONS := python3 python3.13 python3.12 python3.11
VENV := .venv
BIN := $(VENV)/bin
C_FILES = $(shell find bpf measure -name "*.[ch]")
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0

export MPLBACKEND := Agg

.PHONY: setup packages native demo test deep fuzz fuzz-readers attack sanitize sanitized analyse lint
.PHONY: docs lab tidy browser words other-debian clean
.DEFAULT_GOAL := setup

# What pip unpacks and what clang compiles wait for nothing of each other.
setup: packages
	@$(MAKE) --no-print-directory -j2 $(VENV)/.installed native

# Prints those of its arguments that dpkg does not know as installed.
define missing
	installed=" $$(dpkg-query -W -f='$${db:Status-Status}/$${Package} ' $(1) 2>/dev/null) "; \
	missing=''; \
	for name in $(1); do \
		case "$$installed" in *" installed/$$name "*) ;; *) missing="$$missing $$name" ;; esac; \
	done
endef

# Build packages must be had; without one of LAB_PACKAGES its datapath, probe or comparison is
# missing, and linerate doctor says so.
packages:
	@$(call missing,$(BUILD_PACKAGES) $(LAB_PACKAGES)); \
	[ -z "$$missing" ] && exit 0; \
	if ! command -v apt-get >/dev/null; then \
		echo "setup: no apt-get here; install what these Debian packages hold:$$missing"; exit 0; \
	fi; \
	if [ "$$(id -u)" != 0 ]; then \
		echo "setup: without root only the Python half is installed; for the rest run"; \
		echo "  sudo apt-get install -y$$missing && make setup"; exit 0; \
	fi; \
	echo "setup: installing$$missing"; \
	$(APT) update </dev/null; \
	$(call missing,$(BUILD_PACKAGES)); \
	if [ -n "$$missing" ]; then \
		$(APT) install -y --no-install-recommends $$missing </dev/null || exit 3; \
	fi; \
	$(call missing,$(LAB_PACKAGES)); \
	for name in $$missing; do \
		$(APT) install -y --no-install-recommends $$name </dev/null \
			|| echo "setup: $$name cannot be had; what compares with it is skipped"; \
	done

# The stamp holds the venv to pyproject.toml; pip older than 25.1 does not know --group.
$(VENV)/.installed: pyproject.toml
	@for python in $(PYTHONS); do \
		if $$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' \
			2>/dev/null; then break; fi; \
		python=''; \
	done; \
	if [ -z "$$python" ]; then \
		echo "setup: python3=$$(python3 --version 2>&1): linerate needs 3.11 or newer, with venv;" \
			"one of $(PYTHONS); sudo apt-get install -y python3 python3-venv"; exit 3; \
	fi; \
	echo "setup: $(VENV) with $$($$python --version)"; \
	[ -x $(BIN)/python ] && $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| $$python -m venv --clear $(VENV)
	$(BIN)/python -m pip install -q 'pip>=25.1'
	$(BIN)/python -m pip install -q -e . --group dev
	@touch $@

# Without root a machine may lack the headers: then the native half waits for them.
native: packages
	@$(call missing,$(BUILD_PACKAGES)); \
	if [ -n "$$missing" ] && [ "$$(id -u)" != 0 ]; then \
		echo "setup: BPF programs and native runners not built, for want of$$missing"; exit 0; \
	fi; \
	$(MAKE) --no-print-directory -s -C bpf && $(MAKE) --no-print-directory -s -C measure/native

# Nobody who measures or reads needs a browser of 0.4 GB from us: setup leaves it out, .ci/run takes it.
browser:
	@for name in chromium chromium-browser; do \
		if command -v $$name >/dev/null; then exit 0; fi; \
	done; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
		echo "browser: without root and apt-get nothing is installed, and tests of the page are skipped;"; \
		echo "  sudo apt-get install -y chromium"; exit 0; \
	fi; \
	echo "browser: installing chromium"; \
	$(APT) update </dev/null; \
	$(APT) install -y --no-install-recommends chromium </dev/null \
		|| echo "browser: chromium cannot be had; tests of the page are skipped"

demo: setup
	$(BIN)/linerate demo

# Status 5: what PYTEST_FLAGS ask for is in the other part alone.
define tests
	$(BIN)/python -m pytest $(1) $(PYTEST_FLAGS) || [ $$? -eq 5 ]
endef

# A worker takes a whole module, whose fixtures are then made once; those marked long come first.
# Tests of labs wait for their timers, so that there is work for one more than there are CPUs.
WORKERS ?= $(shell echo $$(($$(nproc) + 1)))
SPREAD = -n $(WORKERS) --maxprocesses 4 --dist loadscope --no-loadscope-reorder
# The second part reads no other module than those with such tests.
EXCLUSIVE = $(shell grep -rl --include='test_*.py' 'mark\.exclusive' tests)

# Tests that assert rates, latency or shares of a CPU, or change the whole machine, come after all
# others, one by one; doctests never do. They start hundreds of interpreters: bytecode is kept.
# Each worker has a core: threads of linear algebra would only wait for each other.
test deep: export PYTHONDONTWRITEBYTECODE =
test deep: export OPENBLAS_NUM_THREADS = 1
test deep: export OMP_NUM_THREADS = 1
test: setup
	@status=0; \
	$(call tests,$(SPREAD) -m "not exclusive and not deep") || status=1; \
	$(call tests,-o testpaths="$(EXCLUSIVE)" -m "exclusive and not deep") || status=1; \
	exit $$status

# What another test shows already, shown again on other paths or at length (decision 20).
deep: setup
	@status=0; \
	$(call tests,$(SPREAD) -m "deep and not exclusive") || status=1; \
	$(call tests,-o testpaths="$(EXCLUSIVE)" -m "deep and exclusive") || status=1; \
	exit $$status

# Two at a time; 20 000 take about an hour and a half of two cores.
FUZZ_SPECS ?= 20000
fuzz: setup
	nice $(BIN)/python -m tests.fuzz.pipelines --specs $(FUZZ_SPECS) $(FUZZ_FLAGS)

# A spoiled file is refused in words, in bounded time and memory.
FUZZ_SECONDS ?= 600
fuzz-readers: setup
	nice $(BIN)/python -m tests.fuzz.readers --seconds $(FUZZ_SECONDS) $(FUZZ_FLAGS)

# What the analysers of C say; campaigns that are killed, stalled, starved and unplugged, as root, in
# mounts of their own; then with runners that check each access, but for the one whose memory is
# bounded; then come the readers, and trials beside hogs of each scheduling class.
ATTACK_SECONDS ?= 600
ATTACK := unshare --mount --propagation private $(BIN)/python -m tests.attack
SANITIZED := $(CURDIR)/build/sanitized
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
attack: setup sanitized
	@status=0; \
	$(MAKE) --no-print-directory analyse tidy || status=1; \
	$(ATTACK) --seconds $$(($(ATTACK_SECONDS) / 2)) $(ATTACK_FLAGS) || status=1; \
	LINERATE_BUILD=$(SANITIZED) $(ATTACK) --seconds $$(($(ATTACK_SECONDS) / 4)) \
		--state sanitized.json $(ATTACK_FLAGS) || status=1; \
	$(BIN)/python -m tests.fuzz.readers --seconds $$(($(ATTACK_SECONDS) / 8)) || status=1; \
	$(BIN)/python -m tests.attack.hogs --seconds $$(($(ATTACK_SECONDS) / 8)) || status=1; \
	exit $$status

# A campaign of each datapath with these runners, and nothing befalls it.
sanitize: setup sanitized
	@if [ "$$(id -u)" != 0 ]; then echo "sanitize: without root no campaign is measured"; exit 0; fi; \
	LINERATE_BUILD=$(SANITIZED) $(ATTACK) --undisturbed

sanitized: native
	CFLAGS='$(SANITIZERS)' LDFLAGS='$(SANITIZERS)' \
		$(MAKE) --no-print-directory -s -C measure/native OUT=$(SANITIZED)/native
	ln -sfn ../bpf $(SANITIZED)/bpf
	ln -sfn ../dpdk $(SANITIZED)/dpdk
	cp --remove-destination build/native/swx_build $(SANITIZED)/native/swx_build

# Every path through the C code, as far as the compiler follows it.
analyse: native
	CFLAGS=-fanalyzer $(MAKE) --no-print-directory -s -C measure/native OUT=$(CURDIR)/build/analysed

# Checks that .clang-tidy names, of what changed since they were last made.
tidy: native
	@if ! command -v clang-tidy >/dev/null; then \
		if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
			echo "tidy: without root and apt-get nothing is installed, and C is not checked further;"; \
			echo "  sudo apt-get install -y clang-tidy"; exit 0; \
		fi; \
		echo "tidy: installing clang-tidy"; \
		$(APT) update </dev/null; \
		$(APT) install -y --no-install-recommends clang-tidy </dev/null \
			|| { echo "tidy: clang-tidy cannot be had; C is not checked further"; exit 0; }; \
	fi; \
	$(MAKE) --no-print-directory -s -k -j$$(nproc) -C measure/native tidy

lint: setup analyse tidy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright
	clang-format --dry-run -Werror $(C_FILES)

# Warnings are errors: a page that is not in the navigation, a link that leads nowhere.
docs: export NO_MKDOCS_2_WARNING = 1
docs: $(VENV)/.docs
	$(BIN)/mkdocs build --quiet --strict
	@echo "docs: open build/site/index.html"

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install -q --group docs
	@touch $@

# On loopback, by a token that changes each time. Jupyter refuses root unless told; a browser of
# root's is not opened. Kernels draw in the notebook, which the backend of tests would keep them from.
LAB_USER = $(shell id -u)
LAB_ROOT = $(if $(filter 0,$(LAB_USER)),--allow-root --no-browser)
lab: $(VENV)/.lab
	cd notebooks && env -u MPLBACKEND ../$(BIN)/jupyter lab --ip=127.0.0.1 $(LAB_ROOT) $(LAB_FLAGS)

$(VENV)/.lab: $(VENV)/.installed
	$(BIN)/python -m pip install -q -e '.[notebooks]'
	@touch $@

EXTRACTED := -F pyproject.toml --add-location=file --sort-by-file --project=linerate --version=0 \
	--msgid-bugs-address='see CONTRIBUTING.md'
CATALOGUES := -D linerate --no-fuzzy-matching --ignore-obsolete --no-wrap --ignore-pot-creation-date

words: setup
	@mkdir -p build
	$(BIN)/pybabel -q extract $(EXTRACTED) -o build/words.pot reports measure/datapaths models \
		src/linerate/errors.py
	$(BIN)/pybabel -q update -i build/words.pot -d reports/locale $(CATALOGUES)

# Debian 13 if no other is named; the kernel stays this machine's. OTHER='make test' takes longer.
OTHER ?= make demo
other-debian: export SUITE := $(or $(SUITE),trixie)
other-debian:
	.ci/other-debian $(OTHER)

clean:
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
