"""python -m dbaudit: the same as the command dbaudit."""

from dbaudit.cli import main

main()
