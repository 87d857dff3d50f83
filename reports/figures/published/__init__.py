"""What the studies published, beside what was measured here."""
