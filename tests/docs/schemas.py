#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""schemas.py DIR [-e KEY,KEY...] NAME FILE... - compare JSON rows with their schemas.

Each line of FILE must be valid by DIR/NAME.json (docs/json), which names every key. The schemas
themselves must be valid, and each key must have a description. At least one row must exist.
With -e, each key of the schemas must also occur in a row, except the listed keys. NAME.KEY
excepts the key of one schema.
"""
import json
import sys

import jsonschema


def main():
    directory, arguments, wrong = sys.argv[1], sys.argv[2:], 0
    absent = None
    if arguments[0] == "-e":
        absent = set(arguments[1].split(","))
        arguments = arguments[2:]
    seen = {}
    for name, path in zip(arguments[::2], arguments[1::2]):
        with open(f"{directory}/{name}.json", encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        keys = schema["properties"]
        assert schema["$id"] == f"urn:flt:json:{name}:1", schema["$id"]
        assert all(key["description"] for key in keys.values()), name
        used = seen.setdefault(name, (keys, set()))[1]
        rows = 0
        with open(path, encoding="utf-8") as file:
            for rows, line in enumerate(file, 1):
                row = json.loads(line)
                used.update(row)
                for error in validator.iter_errors(row):
                    wrong += 1
                    if wrong < 20:
                        print(f"BAD: {path} line {rows}: {error.message}: {line.strip()[:300]}")
        if not rows:
            print(f"BAD: {path} has no rows")
            wrong += 1
    if absent is not None:
        for name, (keys, used) in seen.items():
            missing = {key for key in set(keys) - used
                       if key not in absent and f"{name}.{key}" not in absent}
            if missing:
                print(f"BAD: no row has these keys of {name}.json: {', '.join(sorted(missing))}")
                wrong += 1
    return 1 if wrong else 0


sys.exit(main())
