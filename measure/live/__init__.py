"""What is reported of a campaign while it is measured, by its own process or from its folder."""
