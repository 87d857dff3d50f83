"""Subsystems of the kernel that filter: tc, netfilter's hooks by BPF, nftables, iptables."""

from __future__ import annotations

from linerate.measure.datapaths.datapath import Datapath, of_cell, or_own
from linerate.measure.datapaths.filters.bench import check_filter, open_filter_bench
from linerate.measure.datapaths.filters.names import FILTERS
from linerate.measure.datapaths.filters.nic import check_nic_filter, put_nic_filter
from linerate.measure.datapaths.filters.own import bench as rulesets
from linerate.measure.datapaths.filters.own.hooked import OWN_HOOKED
from linerate.measure.datapaths.filters.own.settings import OWN_SUFFIXES as RULESET_SUFFIXES
from linerate.measure.datapaths.filters.own.settings import (
    RulesetSettings,
    rulesets_get_plain_frames,
)
from linerate.measure.datapaths.filters.program import sources
from linerate.measure.datapaths.filters.rules import places_are_there
from linerate.measure.datapaths.filters.settings import FilterSettings
from linerate.measure.datapaths.nic.bench import on_interface
from linerate.measure.datapaths.objects.bench import OWN_OBJECTS
from linerate.measure.datapaths.objects.inputs import described
from linerate.measure.datapaths.objects.nic import OWN_ON_INTERFACE
from linerate.measure.datapaths.objects.rules import RULES
from linerate.measure.datapaths.objects.settings import OWN_SUFFIXES, ObjectSettings

FOLDER = "measure/datapaths/filters"
LABS = {
    "veth": of_cell(check_filter, open_filter_bench),
    "nic": on_interface(check_nic_filter, put_nic_filter),
}
DATAPATHS = (
    Datapath(
        name="tc",
        programs=FILTERS,
        sources=lambda _: sources("tc"),
        own=OWN_SUFFIXES,
        own_settings=ObjectSettings,
        rules=RULES,
        described=described,
        labs={
            "veth": or_own(LABS["veth"], OWN_OBJECTS),
            "nic": or_own(LABS["nic"], OWN_ON_INTERFACE),
        },
        needs=("tc",),
        cost="program",
        place=30,
    ),
    Datapath(
        name="netfilter",
        label="netfilter hook",
        programs=FILTERS,
        sources=lambda _: (*sources("netfilter"), f"{FOLDER}/netfilter_module"),
        own=OWN_SUFFIXES,
        settings=FilterSettings,
        own_settings=ObjectSettings,
        rules=(places_are_there, *RULES),
        described=described,
        labs={**LABS, "veth": or_own(LABS["veth"], OWN_HOOKED)},
        needs=("netfilter_link",),
        cost="program",
        place=31,
    ),
    Datapath(
        name="nftables",
        programs=FILTERS,
        sources=lambda _: (f"{FOLDER}/nftables.py", f"{FOLDER}/filter.py"),
        own=RULESET_SUFFIXES["nftables"],
        settings=FilterSettings,
        own_settings=RulesetSettings,
        rules=(places_are_there, rulesets_get_plain_frames),
        described=rulesets.described,
        labs={**LABS, "veth": or_own(LABS["veth"], rulesets.OWN_RULESETS)},
        needs=("nftables",),
        cost="program",
        own_cost="operations",
        place=32,
    ),
    Datapath(
        name="iptables",
        programs=FILTERS,
        sources=lambda _: (f"{FOLDER}/iptables.py", f"{FOLDER}/filter.py"),
        own=RULESET_SUFFIXES["iptables"],
        settings=FilterSettings,
        own_settings=RulesetSettings,
        rules=(places_are_there, rulesets_get_plain_frames),
        described=rulesets.described,
        labs={**LABS, "veth": or_own(LABS["veth"], rulesets.OWN_RULESETS)},
        needs=("iptables",),
        cost="program",
        own_cost="operations",
        place=33,
    ),
)
