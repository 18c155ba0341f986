"""dbaudit: tell a data publisher what the publications give away."""

__version__ = "0.1.0"
