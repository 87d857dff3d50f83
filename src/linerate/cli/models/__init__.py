"""Models: fitted, validated, asked."""
