"""Tables in French, Italian, Spanish, Dutch and Polish, and some with traps."""

from __future__ import annotations

from datetime import timedelta

from tests.wayin.making import (
    Table,
    ages,
    amounts,
    any_of,
    born,
    coordinates,
    dates,
    fixed,
    ids,
    numbers,
    sentences,
    serial,
    times,
)

ICD = ("J45", "E11", "I10", "K35", "F32", "M54")
WORDS = ("le", "malade", "va", "bien", "mieux", "depuis", "hier", "soir", "encore")

FRENCH = (
    Table(
        "séjours",
        {
            "numéro_patient": numbers(),
            "date_entrée": dates(),
            "sexe": fixed("F", "H"),
            "âge": ages(),
            "commune": fixed("Lyon", "Brest", "Metz"),
            "diagnostic": any_of(*ICD),
        },
        ("numéro_patient",),
        "date_entrée",
        ("sexe", "âge", "commune"),
    ),
    Table(
        "abonnés",
        {
            "abonné": numbers(),
            "horodatage": times(),
            "arrêt": any_of(*[f"A{i}" for i in range(50)]),
            "code_postal": fixed("69001", "29200"),
            "nom": fixed("Durand", "Petit"),
            "courriel": ids("c{}@exemple.fr"),
        },
        ("abonné",),
        "horodatage",
        ("code_postal", "nom", "courriel", "arrêt"),
    ),
    Table(
        "salariés",
        {
            "matricule": serial(300),
            "profession": any_of("cadre", "ouvrier", "agent"),
            "date_naissance": any_of(*[f"19{y}-03-05" for y in range(50, 99)]),
            "salaire": amounts(900),
            "motif": any_of("congé", "maladie", "retraite"),
        },
        ("matricule",),
        None,
        ("profession", "date_naissance", "salaire"),
        people=400,
    ),
)
ITALIAN = (
    Table(
        "ricoveri",
        {
            "id_paziente": ids("P{}"),
            "data_ricovero": dates(),
            "sesso": fixed("M", "F"),
            "età": ages(),
            "comune": fixed("Roma", "Bari", "Pisa"),
            "diagnosi": any_of(*ICD),
        },
        ("id_paziente",),
        "data_ricovero",
        ("sesso", "età", "comune"),
    ),
    Table(
        "clienti",
        {
            "codice_cliente": numbers(),
            "nome": fixed("Anna", "Ugo"),
            "cognome": fixed("Rossi", "Bo"),
            "data_acquisto": dates(),
            "importo": amounts(20),
            "cap": fixed("00100", "20100"),
        },
        ("codice_cliente",),
        "data_acquisto",
        ("nome", "cognome", "cap"),
    ),
)
SPANISH = (
    Table(
        "ingresos",
        {
            "paciente": numbers(),
            "fecha_ingreso": dates(),
            "sexo": fixed("M", "H"),
            "edad": ages(),
            "municipio": fixed("Soria", "Lugo"),
            "diagnóstico": any_of(*ICD),
            "dni": ids("{}Z"),
        },
        ("paciente",),
        "fecha_ingreso",
        ("sexo", "edad", "municipio", "dni"),
    ),
    Table(
        "alumnos",
        {
            "id_alumno": numbers(),
            "fecha": dates(),
            "nota": any_of(*range(11)),
            "teléfono": ids("+34 600 12{}"),
            "provincia": fixed("Cádiz", "Jaén"),
        },
        ("id_alumno",),
        "fecha",
        ("teléfono", "provincia"),
    ),
)
DUTCH = (
    Table(
        "opnames",
        {
            "patiëntnummer": numbers(),
            "opnamedatum": dates(),
            "geslacht": fixed("m", "v"),
            "leeftijd": ages(),
            "gemeente": fixed("Ede", "Goes"),
            "diagnose": any_of(*ICD),
        },
        ("patiëntnummer",),
        "opnamedatum",
        ("geslacht", "leeftijd", "gemeente"),
    ),
    Table(
        "klanten",
        {
            "klantnr": numbers(),
            "tijdstip": times(),
            "bedrag": amounts(12),
            "postcode": fixed("1011", "3011"),
            "achternaam": fixed("Bos", "Smit"),
            "opmerking": sentences(*WORDS),
        },
        ("klantnr",),
        "tijdstip",
        ("postcode", "achternaam", "opmerking"),
    ),
)
POLISH = (
    Table(
        "przyjęcia",
        {
            "id_pacjenta": numbers(),
            "data_przyjęcia": dates(),
            "płeć": fixed("K", "M"),
            "wiek": ages(),
            "województwo": fixed("śląskie", "łódzkie"),
            "rozpoznanie": any_of(*ICD),
        },
        ("id_pacjenta",),
        "data_przyjęcia",
        ("płeć", "wiek", "województwo"),
    ),
    Table(
        "klienci",
        {
            "numer_klienta": numbers(),
            "data_zakupu": dates(),
            "imię": fixed("Ewa", "Jan"),
            "PESEL": ids("4405{}59"),
            "kwota": amounts(30),
            "miasto": fixed("Gdynia", "Opole"),
        },
        ("numer_klienta",),
        "data_zakupu",
        ("imię", "PESEL", "miasto"),
    ),
)
TRAPS = (
    Table(
        "flags called user",
        {
            "active_user": any_of(0, 1),
            "premium_user": any_of("yes", "no"),
            "uid": ids("{:x}"),
            "login_time": times(),
            "country": fixed("DE", "FR", "PL"),
        },
        ("uid",),
        "login_time",
        ("country", "premium_user"),
    ),
    Table(
        "times as seconds",
        {
            "device": ids("d{}"),
            "ts": lambda m: [1_700_000_000 + i * 61 for i in range(m.rows)],
            "city": fixed("Bonn", "Kiel"),
            "event": any_of("open", "close"),
        },
        ("device",),
        "ts",
        ("city",),
    ),
    Table(
        "zoned times and a hospital",
        {
            "hospital_id": fixed(1, 2, 3),
            "mrn": numbers(),
            "start_time": times(),
            "gender": fixed("f", "m"),
            "test_result": any_of("neg", "pos", "open"),
        },
        ("mrn",),
        "start_time",
        ("gender", "hospital_id"),
    ),
    Table(
        "months as text",
        {
            "member_id": numbers(),
            "month": any_of(*[f"2024-{i:02}" for i in range(1, 13)]),
            "age_band": fixed("0-35", "35-55", "55+"),
            "spend": amounts(70),
        },
        ("member_id",),
        "month",
        ("age_band",),
    ),
    Table(
        "squares and places that say the same",
        {
            "rider": numbers(),
            "pickup_datetime": times(),
            "grid": fixed(*range(40)),
            "x_coord": coordinates(100.0),
            "address": fixed("Main 1", "Hill 2"),
            "fare_amount": amounts(9),
        },
        ("rider",),
        "pickup_datetime",
        ("x_coord", "address", "grid"),
    ),
    Table(
        "nothing but codes",
        {
            "c1": numbers(),
            "c2": any_of(*range(9)),
            "c3": dates(),
            "c4": fixed("a", "b", "c"),
            "c5": amounts(5),
        },
        ("c1",),
        "c3",
        ("c2", "c4", "c5"),
    ),
    Table(
        "persons in days",
        {
            "consumer": numbers(1),
            "day": any_of(*range(1, 15)),
            **{f"s{i:02}": amounts(1) for i in range(12)},
        },
        ("consumer",),
        None,
        (),
        people=40,
        method="patterns",
    ),
    Table(
        "rides by minute",
        {
            "card_number": ids("{}"),
            "tap_in": times(timedelta(minutes=1)),
            "station": any_of(*[f"st {i}" for i in range(30)]),
            "ticket": fixed("day", "month"),
            "born": born(),
        },
        ("card_number",),
        "tap_in",
        ("station", "born"),
    ),
)
