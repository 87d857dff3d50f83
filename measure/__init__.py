"""Measurement on real packets: labs, datapaths, generators, campaigns, validity."""
