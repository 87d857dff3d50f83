"""Any datapath on the interface that the user named."""
