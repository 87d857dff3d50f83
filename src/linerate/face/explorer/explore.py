"""An explorer of a model for notebooks: sliders, the verdict, capacity, latency, the roofline."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from linerate.errors import BadInputError, bad_input, cannot_here
from linerate.face.explorer.explored import ACCESSES, Asked, Explored, explore_cell
from linerate.face.explorer.picture import Picture
from linerate.face.model import Model
from linerate.links import LINK_GBPS
from linerate.tables.html import html_text

FRAME_BYTES = (64, 128, 256, 512, 1024, 1280, 1500, 1518)
LINKS_GBPS = (1.0, 2.5, 5.0, 10.0, 25.0, 40.0, 50.0, 100.0, 200.0, 400.0)
QUEUES_MAX = 16
"""Queues that may be asked about; beyond what was measured the answer says so."""


def explore(model: Model) -> Explorer:
    """Show a model with sliders, in a notebook.

    Parameters
    ----------
    model
        One whose rates are placed by ``memory_accesses``: ``model.programs`` lists its programs.

    Returns
    -------
    The explorer, which a notebook shows as the last value of a cell.

    Raises
    ------
    CannotHereError
        ipywidgets is not installed.
    BadInputError
        The model has no program that memory accesses place.
    """
    if not model.file.by_accesses:
        raise bad_input("model", ", ".join(model.file.fitted), why="no program was measured by "
                        "memory accesses, which the sliders are about",
                        allowed="a model with model.programs",
                        do="use model.predict with operations")  # fmt: skip
    return Explorer(model, _widgets())


def _widgets() -> ModuleType:
    try:
        import ipywidgets
    except ImportError as error:
        raise cannot_here(
            "ipywidgets", why="it is not installed, and sliders are made of it",
            do="make lab, or pip install 'linerate[notebooks]'",
        ) from error  # fmt: skip
    widgets: ModuleType = ipywidgets
    return widgets


class Explorer:
    """Sliders and what they show; ``controls`` are the widgets by the name of their factor."""

    def __init__(self, model: Model, widgets: ModuleType) -> None:
        self.model = model
        self.picture = Picture()
        self.explored: Explored | None = None
        """What is shown; None where the model knows no such cell."""
        self._programs: dict[str, list[str]] = {}
        for pair in model.file.predictor.pairs:
            self._programs.setdefault(pair.datapath, []).append(pair.program)
        self.controls = self._controls(widgets)
        self.sentence = widgets.HTML()
        self.image = widgets.Image(format="png")
        for name, control in self.controls.items():
            control.observe(self._programs_of if name == "datapath" else self._changed, "value")
        controls = [*self.controls.values()]
        columns = [widgets.VBox(controls[:4]), widgets.VBox(controls[4:])]
        self.box = widgets.VBox([widgets.HBox(columns), self.sentence, self.image])
        self.redraw()

    def _controls(self, widgets: ModuleType) -> dict[str, Any]:
        datapaths = sorted(self._programs)
        made: Callable[..., Any] = widgets.SelectionSlider
        return {
            "datapath": widgets.Dropdown(options=datapaths, description="datapath"),
            "program": widgets.Dropdown(options=self._programs[datapaths[0]],
                                        description="program"),
            "memory_accesses": made(options=[int(one) for one in ACCESSES], value=0,
                                    description="accesses"),
            "frame_bytes": made(options=FRAME_BYTES, description="frame, B"),
            "queues": widgets.IntSlider(value=1, min=1, max=QUEUES_MAX, description="queues"),
            "link_gbps": made(options=LINKS_GBPS, value=LINK_GBPS, description="link, Gbit/s"),
            "offered_mpps": widgets.FloatLogSlider(value=1.0, min=-2, max=2, step=0.05,
                                                   description="load, Mpps"),
        }  # fmt: skip

    @property
    def asked(self) -> Asked:
        """The cell that the sliders stand for."""
        return Asked(**{name: control.value for name, control in self.controls.items()})

    def _programs_of(self, change: dict[str, Any]) -> None:
        """Offer the programs of another datapath; where the name stays, draw anew."""
        program = self.controls["program"]
        known, before = self._programs[change["new"]], program.value
        program.unobserve(self._changed, "value")
        program.options = known
        program.value = before if before in known else known[0]
        program.observe(self._changed, "value")
        self.redraw()

    def _changed(self, _change: object) -> None:
        self.redraw()

    def redraw(self) -> None:
        """Ask the model again, and move what is drawn."""
        try:
            self.explored = explore_cell(self.model.file, self.asked)
        except BadInputError as refused:
            self.explored = None
            self.picture.clear()
            self.sentence.value = html_text(str(refused))
        else:
            self.picture.show(self.explored, self.asked.datapath)
            self.sentence.value = html_text(self.explored.verdict)
        self.image.value = self.picture.png()

    def data(self, artist: str) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates that an artist of ``picture.artists`` has now.

        Raises
        ------
        BadInputError
            No such artist.
        """
        lines = {name: one for name, one in self.picture.artists.items() if name != "latency why"}
        if artist not in lines:
            raise bad_input("artist", artist, why="nothing of this name is drawn",
                            allowed=", ".join(lines), do="use one of these")  # fmt: skip
        x, y = lines[artist].get_data()
        return np.asarray(x, dtype=float), np.asarray(y, dtype=float)

    def _repr_mimebundle_(self, **kwargs: object) -> object:
        return self.box._repr_mimebundle_(**kwargs)
