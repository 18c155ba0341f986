"""Figures 2 to 5 of Re-publishing (Wang, Zhu, Du, Teng, ICDM 2008) again, end to end through the store."""
