"""Object stores: where releases may lie beside folders of this machine."""

from anachron.stores.address import Address, Place, holds_key, is_address, placed
from anachron.stores.opening import opened
from anachron.stores.store import Stored, Store, StoreFailure, content_of, copied, digest_at

__all__ = [
    "Address",
    "Stored",
    "Place",
    "Store",
    "StoreFailure",
    "content_of",
    "copied",
    "digest_at",
    "holds_key",
    "is_address",
    "opened",
    "placed",
]
