"""Rulesets of the user's own in the lab: nftables, and what iptables-save writes."""
