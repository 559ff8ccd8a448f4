"""The places data comes from, one module each: every one has a ``fetch(name, options)``."""
