"""Rates over many campaigns, drawn."""
