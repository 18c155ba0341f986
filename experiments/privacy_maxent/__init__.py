"""Figures 5, 6 and 7 of Privacy-MaxEnt (Du, Teng, Zhu, SIGMOD 2008) again, end to end through the store."""
