"""What a shell completes of a command line."""

from __future__ import annotations
