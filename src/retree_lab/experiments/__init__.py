"""Configuration, plan, store, run, verify: each room knows only those before it."""
