"""Calls of the engine with arguments by name, those of its rule among them."""

from types import SimpleNamespace

from retree import engine


def call_by_name(function, rule, arguments):
    """Call `function`, which takes the fields of ``retree_<rule>_rule`` last, as one argument."""
    _, fields = engine._rules()[f"retree_{rule}_rule"]
    numbers = SimpleNamespace(**{name: arguments[name] for name in fields})
    plain = [value for name, value in arguments.items() if name not in fields]
    return engine.call(function, *plain, numbers)
