"""Anachron Studio: a local page on a folder of plans, tables, ledgers and releases.

``anachron studio [FOLDER]`` starts it (``cli/studio.py``); nothing else in Anachron imports this
room. The folder is all the state there is: a plan is a project, and whatever a page does is a
command on it, which the page shows. What takes long is that command, run beside the page
(``work.py``).

A request goes through these files::

    guard.py     Host, Origin, token, size; headers of every answer; what goes wrong, without a cell
    app.py       the routes: every ``View`` of ``pages/``
    view.py      View (a page), Visit (a request for it), and what it may answer
    pages/X.py   reads the folder, calls what the commands call, hands values to a template
    writing.py   templates/X.html in the language of the reader

and these hold what pages share::

    studio.py    Studio: folder, keys, tables, works; one for each process
    folder.py    which files may be opened at all
    projects.py  a plan, its ledger as it is (never touched), and what is due
    tables.py    tables that were looked at, in numbers
    work.py      commands that run beside the page: progress, cancel, answer
    commands.py  what a person would type instead of clicking, in a shell and in Python

**To add a page:**

1. Write ``pages/NAME.py`` with ``VIEWS``, a tuple of :class:`~anachron.studio.view.View`, and put
   the module into ``app.py``. ``show`` answers GET; ``take`` answers POST. A ``take`` that writes
   into the folder says so with ``writes=True`` (the default): ``--read-only`` refuses it. Both are
   plain functions, run in a thread; both get a :class:`~anachron.studio.view.Visit`.
2. Answer with ``visit.page("name.html", doing, …)``, where ``doing`` (:mod:`commands`) is the
   command and the Python for the page; with ``visit.part(…)`` for what htmx puts into a page; or
   with ``visit.see("/path", plan=…)`` after a POST. Errors of Anachron may be raised: the reader
   sees them on a page of their own; show them in the form instead where there is one.
3. Write ``templates/name.html``: ``{% extends "frame.html" %}``, blocks ``title`` and ``main``.
   English sentences stand between block elements (see ``reporting/messages.py``); words inside of
   expressions and attributes are marked, ``{{ _("Publish") }}``. No inline style, no inline
   script, no ``on…`` attribute: the policy refuses them. Every form has ``{{ csrf() }}``.
4. Put the German sentences into ``texts/de/name.po``; ``tests/house/test_languages.py`` names the
   missing ones.
5. Charts: ``{{ chart(picture) }}`` of ``parts.html`` draws an SVG on the server, which
   ``charts.js`` replaces by a live one where there is JavaScript.
6. Test it in ``tests/studio/test_name.py`` with the fixture ``reader``.

What may be shown of a table: its columns, their kinds, and counts. Never a cell. What a plan lists
of values (``values``, ``orders``, hierarchies) is shown as how many there are.
"""
