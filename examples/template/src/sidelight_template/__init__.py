"""Policies for sidelight."""
