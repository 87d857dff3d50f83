"""Waiting: pure functions of offered load, service time and buffer, and a simulator.

Each name is imported when it is first used, from where ``__init__.pyi`` says.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
