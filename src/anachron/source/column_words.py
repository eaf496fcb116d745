"""What the names of columns say about them, in the words that people use for columns."""

from __future__ import annotations

import re

__all__ = ["DIRECT", "PLACE", "QUASI", "SENSITIVE", "SUBJECT", "TIME", "says"]

SUBJECT = re.compile(
    "patient|person|people|subject|user|customer|client|member|household|student|employee|account|"
    "card|driver|cab|taxi|vehicle|device|meter|company|rider|passenger|citizen|resident|respondent|"
    "participant|uid|pid|mrn"
)
TIME = re.compile("date|time|day|when|timestamp|datetime|admitted|at|start|begin|week|month|year")
QUASI = re.compile(
    "age|sex|gender|birth|born|dob|zip|zipcode|postcode|postal|city|town|region|province|county|"
    "country|district|race|ethnicity|marital|education|occupation|job|profession|nationality|"
    "language|religion|disability|income|size|children|imd|band"
)
SENSITIVE = re.compile(
    "diagnosis|disease|icd|drug|medication|treatment|procedure|result|score|amount|price|cost|"
    "salary|spend|sales|value|quantity|ward|reason|outcome"
)
DIRECT = re.compile(
    "name|surname|firstname|lastname|email|mail|phone|mobile|address|street|ssn|passport|iban|ip|"
    "url|comment|note|notes|text|description"
)
PLACE = re.compile("lat|latitude|lon|lng|long|longitude")


def says(name: str, kind: re.Pattern[str]) -> bool:
    """Whether a word of the name is of the kind: ``patientID`` is patient and id."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return any(kind.fullmatch(word.lower()) for word in words)
