"""The maximum-entropy solver side by side with general ones, and its growth with size."""
