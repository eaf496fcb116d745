"""The certificate for programs: what its lights say, and what the release is, as JSON-LD.

Terms are those of DCAT and Dublin Core for the release, of the W3C Data Privacy Vocabulary (DPV)
for the measure, the risks, the recipient and the purpose, and of our own for what neither has.
The context is written in: nothing is fetched. docs/certificate.md lists what it holds.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from anachron.release.describe import DESCRIPTION
from anachron.reporting.certificate import version
from anachron.reporting.opening import DECISIONS, Exposure, Opening

if TYPE_CHECKING:
    from anachron.identity import Identity
    from anachron.reporting.certificate import Certificate, File

__all__ = ["CONTEXT", "twin"]

CONTEXT: dict[str, Any] = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "dpv": "https://w3id.org/dpv#",
    "risk": "https://w3id.org/dpv/risk#",
    "spdx": "http://spdx.org/rdf/terms#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "anachron": "urn:anachron:certificate:",
    "dcterms:issued": {"@type": "xsd:dateTime"},
    "dcat:byteSize": {"@type": "xsd:nonNegativeInteger"},
    "anachron:frictionless": {"@type": "@json"},
    "anachron:guarantee": {"@type": "@json"},
}
"""What the terms stand for; they are names, and nothing is fetched from there."""
_MEDIA = {
    ".parquet": "application/vnd.apache.parquet",
    ".csv": "text/csv",
    ".json": "application/json",
}


def twin(paper: Certificate[Any, Any]) -> str:
    """Write the certificate for programs. The same certificate gives the same bytes."""
    proof, opening = paper.proof, paper.opening
    description = json.loads((paper.release.path / DESCRIPTION).read_bytes())
    said = {
        "@context": CONTEXT,
        "@id": f"urn:sha256:{paper.digest}",
        "@type": ["dcat:Dataset", "anachron:Release"],
        **_described(paper),
        "dpv:hasTechnicalMeasure": {
            "@type": "dpv:Deidentification",
            "anachron:guarantee": description["anachron"]["guarantee"],
        },
        **_parties(proof.identity),
        "dpv:hasResidualRisk": [_risk(one) for one in opening.exposures],
        "anachron:opening": _lights(opening),
        "anachron:audit": _audit(paper),
        "anachron:attacks": [_attack(found) for found in proof.findings],
        "anachron:frictionless": description,
        "anachron:writtenBy": f"Anachron {version()}",
    }
    return json.dumps(said, ensure_ascii=False, indent=2) + "\n"


def _described(paper: Certificate[Any, Any]) -> dict[str, Any]:
    """The release as a data set of a catalogue."""
    stated, recorded = paper.proof.identity, paper.proof.recorded
    found: dict[str, Any] = {
        "dcterms:title": stated.title or f"Release {paper.release.number}",
        "dcterms:identifier": paper.release.number,
    }
    if recorded:
        found["dcterms:issued"] = recorded
    if stated.licence:
        found["dcterms:license"] = stated.licence
    if stated.publisher:
        found["dcterms:publisher"] = stated.publisher
    if stated.contact:
        found["dcat:contactPoint"] = stated.contact
    found["dcat:distribution"] = [_distribution(file) for file in paper.files]
    return found


def _distribution(file: File) -> dict[str, Any]:
    ending = file.path[file.path.rindex(".") :]
    return {
        "@type": "dcat:Distribution",
        "dcterms:title": file.path,
        "dcat:mediaType": _MEDIA[ending],
        "dcat:byteSize": file.size,
        "spdx:checksum": {
            "@type": "spdx:Checksum",
            "spdx:algorithm": "SHA256",
            "spdx:checksumValue": file.digest,
        },
    }


def _parties(stated: Identity) -> dict[str, Any]:
    """Who receives it, and for what: as stated, in their words."""
    found: dict[str, Any] = {}
    if stated.recipient:
        found["dpv:hasRecipient"] = {"@type": "dpv:Recipient", "dcterms:title": stated.recipient}
    if stated.purpose:
        found["dpv:hasPurpose"] = {"@type": "dpv:Purpose", "dcterms:description": stated.purpose}
    return found


def _risk(one: Exposure) -> dict[str, Any]:
    return {
        "@type": ["dpv:Risk", "risk:Reidentification"],
        "dcterms:title": one.title,
        "anachron:attack": one.attack,
        "anachron:exposed": one.exposed,
        "anachron:people": one.people,
        "anachron:share": float(one.share),
        "anachron:sampled": one.sampled,
    }


def _lights(opening: Opening) -> dict[str, Any]:
    return {
        "anachron:promise": opening.state,
        "anachron:checks": opening.checks,
        "anachron:failedChecks": list(opening.failed),
        "anachron:attacksTried": opening.tried,
        "anachron:attacksThatBreakThePromise": list(opening.broken),
        "anachron:attacksBeyondThePromise": len(opening.exposures),
        "anachron:withheld": [
            {"anachron:what": one.what, "anachron:number": one.number, "anachron:of": one.of}
            for one in opening.withheld
        ],
        "anachron:decisions": [
            {"anachron:decision": one, "dcterms:description": DECISIONS[one]}
            for one in opening.decisions
        ],
    }


def _audit(paper: Certificate[Any, Any]) -> dict[str, Any]:
    verdict = paper.proof.verdict
    return {
        "anachron:scope": verdict.scope,
        "anachron:proven": paper.proven,
        "anachron:results": [
            {
                "dcterms:title": check.about,
                "anachron:holds": check.holds,
                "anachron:promised": check.promised,
                "anachron:measured": check.measured,
            }
            for check in verdict.checks
        ],
    }


def _attack(found: Any) -> dict[str, Any]:
    return {
        "anachron:attack": found.attack,
        "dcterms:title": found.title,
        "anachron:exposed": found.exposed,
        "anachron:people": found.people,
        "anachron:promised": found.promised,
        "anachron:measured": found.measured,
        "anachron:holds": found.holds,
        "anachron:sampled": found.sampled,
    }
