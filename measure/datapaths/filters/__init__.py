"""Packet filters: by tc, XDP, netfilter, nftables and iptables."""
