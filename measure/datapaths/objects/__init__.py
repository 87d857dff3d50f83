"""The user's own BPF objects as programs of a campaign."""
