"""One direction: configuration, plan, run, store, results. Estimators know nothing of papers."""
