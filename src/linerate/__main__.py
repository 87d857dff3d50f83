"""``python -m linerate``: the command, where its script is not on the path."""

from linerate.cli import main

main()
