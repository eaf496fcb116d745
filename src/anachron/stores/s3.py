"""Stores that speak S3, by boto3: of Amazon, and of others that keep ``If-None-Match``.

Arrow's file systems, by which tables are read, have no way to put what must not be there yet.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, BinaryIO

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
)
from botocore.exceptions import ConnectionError as NotConnected

from anachron.stores.address import Address
from anachron.stores.store import NoSuchPlace, Stored, StoreFailure

__all__ = ["S3"]

_PIECE = 1 << 20
_SETTINGS = Config(
    connect_timeout=10,
    read_timeout=60,
    retries={"mode": "standard", "total_max_attempts": 3},
    # Stores of others do not know the checksums that boto3 would add by itself.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
_CREDENTIALS = (
    "Give the store in the environment what it asks for, such as AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY or AWS_PROFILE"
)
_RIGHTS = "with the right to list the bucket, and to read and put objects below the prefix."
_REMEDIES = {
    "NoSuchBucket": "Make the bucket first, or correct the address.",
    "NotImplemented": "Use a store that keeps If-None-Match: without it releases could be "
    "overwritten.",
    "EntityTooLarge": "Publish less at once: a store takes files of up to 5 GB.",
}
_REFUSED = re.compile(r"AccessDenied|Forbidden|40[13]|Invalid(AccessKeyId|Token)|Expired\w*|"
                      r"SignatureDoesNotMatch|RequestTimeTooSkewed|AllAccessDisabled")  # fmt: skip
_AGAIN = "Check that the store answers at this address, and try again."


class S3:
    """A place of an S3 store: :class:`anachron.stores.Store` says what it does."""

    def __init__(self, address: Address) -> None:
        self._address = address
        told = tuple(sorted(one for one in os.environ.items() if one[0].startswith("AWS_")))
        with self._told(""):
            self._client = _client(address.how, told, os.getpid())

    def put_new(self, name: str, content: BinaryIO, sha256: str) -> bool:
        """Put an object where none is; if there is one, leave it and say so."""
        with self._told(name):
            try:
                self._client.put_object(
                    **self._at(name),
                    Body=content,
                    IfNoneMatch="*",
                    # The store refuses what arrives as anything else.
                    ChecksumSHA256=base64.b64encode(bytes.fromhex(sha256)).decode(),
                )
            except ClientError as error:
                # The second is said while somebody else puts the same object.
                if _code(error) in ("PreconditionFailed", "ConditionalRequestConflict"):
                    return False
                raise
        return True

    def get(self, name: str) -> Stored | None:
        """Give an object, if it is there."""
        with self._told(name):
            try:
                found = self._client.get_object(**self._at(name))
            except ClientError as error:
                if _code(error) == "NoSuchKey":
                    return None
                raise
        return Stored(int(found["ContentLength"]), self._pieces(name, found["Body"]))

    def names(self) -> list[str]:
        """List what is there, as far as the store knows it by now."""
        start = self._address.key("")
        with self._told(""):
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._address.bucket, Prefix=start
            )
            keys = [one["Key"] for page in pages for one in page.get("Contents", ())]
        return [key[len(start) :] for key in keys]

    def _at(self, name: str) -> dict[str, str]:
        return {"Bucket": self._address.bucket, "Key": self._address.key(name)}

    def _pieces(self, name: str, body: Any) -> Iterator[bytes]:
        with self._told(name):
            try:
                yield from body.iter_chunks(_PIECE)
            finally:
                body.close()

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Turn what boto3 says into words for people; what it quotes is never repeated."""
        place = self._address / name if name else self._address
        try:
            yield
        except (NoCredentialsError, PartialCredentialsError, ProfileNotFound):
            raise StoreFailure("no credentials were found", place, f"{_CREDENTIALS}.") from None
        except NoRegionError:
            raise StoreFailure(
                "it is not said in which region the store is", place, "Set AWS_REGION."
            ) from None
        except ClientError as error:
            code = _code(error)
            refused = f"{_CREDENTIALS}, {_RIGHTS}"
            remedy = refused if _REFUSED.fullmatch(code) else _REMEDIES.get(code, _AGAIN)
            failure = NoSuchPlace if code == "NoSuchBucket" else StoreFailure
            raise failure(f"the store answered {code}", place, remedy) from None
        except (NotConnected, HTTPClientError):
            raise StoreFailure("the store cannot be reached", place, _AGAIN) from None
        except (BotoCoreError, ValueError):
            raise StoreFailure("the store cannot be used", place, _AGAIN) from None


@lru_cache(maxsize=4)
def _client(how: tuple[tuple[str, str], ...], _told: object, _process: int) -> Any:
    """Make a client, which takes a while; another one where the environment or process is."""
    said = dict(how)
    endpoint = said.get("endpoint_override")
    if endpoint is not None and "://" not in endpoint:
        endpoint = f"{said.get('scheme', 'https')}://{endpoint}"
    return boto3.session.Session().client(
        "s3",
        endpoint_url=endpoint,
        region_name=said.get("region"),
        use_ssl=said.get("scheme") != "http",
        config=_SETTINGS,
    )


def _code(error: ClientError) -> str:
    """What a store says is wrong, if it is a word; it may say anything."""
    code = str(error.response.get("Error", {}).get("Code", ""))
    return code if re.fullmatch(r"[A-Za-z0-9]{1,40}", code, re.ASCII) else "an error"
