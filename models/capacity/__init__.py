"""Packets per second by hook, accesses and queues: the form, and its fit."""
