"""What several policies share: searches, posteriors, mixtures, guards, and ways to decide."""
