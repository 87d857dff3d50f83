"""Predict whether a packet program sustains line rate on a machine, from measurements."""
