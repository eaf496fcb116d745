"""Object stores: where releases may lie beside folders of this machine."""

from anachron.stores.address import Address, Place, holds_key, is_address, placed
from anachron.stores.opening import opened
from anachron.stores.store import (
    NoSuchPlace,
    Store,
    Stored,
    StoreFailure,
    content_of,
    copied,
    digest_at,
)

__all__ = [
    "Address",
    "NoSuchPlace",
    "Place",
    "Store",
    "StoreFailure",
    "Stored",
    "content_of",
    "copied",
    "digest_at",
    "holds_key",
    "is_address",
    "opened",
    "placed",
]
