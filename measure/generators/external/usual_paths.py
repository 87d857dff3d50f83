"""Where generators of others are looked for, unless a campaign says otherwise."""

from pathlib import Path

MOONGEN = Path("/opt/MoonGen/build/MoonGen")
TREX = Path("/opt/trex")
TREX_API = Path("automation/trex_control_plane/interactive")
"""Of TRex's folder: what its Python client is loaded from."""
