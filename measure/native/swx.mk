# SPDX-License-Identifier: Apache-2.0
# Runners of P4 pipelines, where DPDK is installed; linerate doctor says where it is not.
SWX_BUILD := swx_build swx_spec runner
SWX_RUN := swx_run swx_options swx_eal swx_flows swx_frame swx_lane swx_card swx_worker swx_load swx_bench swx_trial swx_trial_null swx_report swx_watch swx_query runner

.PHONY: swx_headers

ifeq ($(shell pkg-config --exists libdpdk && echo yes),yes)
all: $(OUT)/swx_build $(OUT)/swx_run swx_headers

# Its headers warn where ours must not.
SWX_CFLAGS := -DALLOW_EXPERIMENTAL_API $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libdpdk)) \
	-DSWX_INCLUDES='"$(strip $(filter %/dpdk,$(shell pkg-config --cflags-only-I libdpdk)))"'
SWX_LDLIBS := $(shell pkg-config --libs libdpdk)

$(OUT)/swx_%.o: CFLAGS += $(SWX_CFLAGS)

$(OUT)/swx_build: $(SWX_BUILD:%=$(OUT)/%.o)
	$(CC) $(LDFLAGS) -o $@ $^ $(SWX_LDLIBS) $(LDLIBS)

$(OUT)/swx_run: $(SWX_RUN:%=$(OUT)/%.o)
	$(CC) $(LDFLAGS) -o $@ $^ $(SWX_LDLIBS) $(LDLIBS)

swx_headers:
	./swx_headers.sh $(abspath ../../build/dpdk/include)
endif
