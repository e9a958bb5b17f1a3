"""Slow and obvious references: definitions, written as the paper states them."""
