# SPDX-License-Identifier: Apache-2.0
# Runners of pipelines, where DPDK is installed; linerate doctor says where it is not. Included by
# measure/native/Makefile.
ifeq ($(shell pkg-config --exists libdpdk && echo yes),yes)
SWX := $(DATAPATHS)/swx/native
SWX_LDLIBS := $(shell pkg-config --libs libdpdk)
# Its headers warn where ours must not.
SWX_CFLAGS := -DALLOW_EXPERIMENTAL_API $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libdpdk)) \
	-DSWX_INCLUDES='"$(strip $(filter %/dpdk,$(shell pkg-config --cflags-only-I libdpdk)))"'

$(eval $(call runner,swx_build,$(call sources,$(SWX)/compile),$(SWX_LDLIBS)))
$(eval $(call runner,swx_run,$(call sources,$(SWX) $(SWX)/ports $(SWX)/trial),$(SWX_LDLIBS)))

$(OBJECTS)/datapaths/swx/%: CFLAGS += $(SWX_CFLAGS)

all: swx_headers
swx_headers:
	$(SWX)/compile/headers.sh $(abspath $(DPDK)/include)

.PHONY: swx_headers
endif
