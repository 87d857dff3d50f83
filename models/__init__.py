"""Models that predict what was not measured from what was.

Each name is imported when it is first used, from where ``__init__.pyi`` says: all of them load most
of SciPy.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
