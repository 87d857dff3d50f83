# SPDX-License-Identifier: Apache-2.0
# Runners of service function chains; included by measure/native/Makefile.
CHAIN := $(DATAPATHS)/chain/native

$(eval $(call runner,nsh_stage,$(call sources,$(CHAIN)/stage)))
$(eval $(call runner,nsh_rules,$(call sources,$(CHAIN)/rules)))
$(eval $(call runner,chain_function_raw,$(addprefix $(CHAIN)/function/,main.c raw.c)))
$(eval $(call runner,chain_function_xsk,$(addprefix $(CHAIN)/function/,main.c xsk.c),-lxdp))
