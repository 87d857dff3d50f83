"""What the kernel says of interfaces, and takes: netlink, ethtool, nft."""
