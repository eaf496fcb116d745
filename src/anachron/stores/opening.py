"""Open a store by its address."""

from __future__ import annotations

from anachron.errors import PlanError
from anachron.stores.address import Address
from anachron.stores.store import Store

__all__ = ["opened"]


def opened(address: Address) -> Store:
    """Reach a place of a store. Who may is told by the environment, and never by the address."""
    try:
        from anachron.stores.s3 import S3
    except ModuleNotFoundError:
        raise PlanError(
            "releases in a store need the package boto3, which is not installed.",
            remedy="Install it with: pip install 'anachron[s3]'.",
        ) from None
    return S3(address)
