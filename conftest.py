# Bound before any test module is imported, `pallasite` is the package that the environment holds,
# also for tests that lie beside its sources.
import pallasite  # noqa: F401
