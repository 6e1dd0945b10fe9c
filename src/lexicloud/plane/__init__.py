"""Lay points out on a plane, from vectors or distances; say how well that fits; find regions."""
