"""The runners of this machine, built from the sources that come with linerate."""

from linerate.measure.setup.building import Setup, build
from linerate.measure.setup.needs import Need, missing

__all__ = ["Need", "Setup", "build", "missing"]
