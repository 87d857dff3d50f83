# SPDX-License-Identifier: Apache-2.0
# The generator by DPDK, where that is installed: what the pipelines' own generator is made of, on a
# device. Included by measure/native/Makefile, behind the pipelines' runners.
ifdef SWX
DPDK_TRAFFIC := $(ROOT)/measure/generators/dpdk/native
$(eval $(call runner,dpdk_traffic,$(call sources,$(DPDK_TRAFFIC) $(SWX)/ports) \
	$(SWX)/eal.c $(SWX)/options.c $(SWX)/schedstat.c \
	$(addprefix $(SWX)/trial/,latency.c load.c schedule.c trial.c),$(SWX_LDLIBS)))

$(OBJECTS)/generators/dpdk/%: CFLAGS += $(SWX_CFLAGS)
endif
