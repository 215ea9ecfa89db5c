"""Asks the jsonschema package what this library was asked, and compares verdicts and paths.

Usage: judge.py FILE, where FILE is what the test "two thousand values for another validator" writes.

A schema that says all that its rule does has to find the same values valid, and errors at the same
places. One that says only a part of it must not find an error where the rule has none. What the
library says when it makes a rule of the schema again has to be the same for every schema.
"""

import decimal
import json
import re
import sys

from jsonschema import Draft202012Validator, FormatChecker, ValidationError, validators

# Formats of which both mean the same; the others are annotations.
ASSERTED = ["ipv4", "ipv6", "uuid"]

# Numbers are decimals here, as the draft has it, and not rounded.
decimal.getcontext().prec = 1000


def ecma(pattern):
    """The pattern in the dialect of Python, where $ matches before a last line feed, too."""
    result, in_class, i = "", False, 0
    while i < len(pattern):
        char = pattern[i]
        if char == "\\":
            result += pattern[i : i + 2]
            i += 2
            continue
        in_class = char == "[" or (in_class and char != "]")
        result += r"\Z" if char == "$" and not in_class else char
        i += 1
    return re.compile(result, re.ASCII)


def check_pattern(validator, pattern, instance, schema):
    if validator.is_type(instance, "string") and not ecma(pattern).search(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def is_integer(checker, value):
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or isinstance(value, decimal.Decimal) and value % 1 == 0


Validator = validators.extend(
    Draft202012Validator,
    {"pattern": check_pattern},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", is_integer),
)


def leaves(error):
    """The errors that an error is made of, those inside of the branches of anyOf."""
    if error.validator != "anyOf":
        yield error
        return
    is_model = any("$ref" in branch for branch in error.validator_value)
    for inner in error.context:
        is_null = inner.validator == "type" and inner.validator_value == "null"
        # Of a model that may be null, only what the model lacks is reported.
        if not (is_model and is_null) or error.instance is None:
            yield from leaves(inner)


def every_leaf(error):
    """The errors that an error is made of, those inside of all branches of anyOf and oneOf."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield error
        return
    for inner in error.context:
        yield from every_leaf(inner)


def places(error):
    """Where this library reports the same error."""
    path = list(error.absolute_path)
    if error.validator == "required":
        for name in error.validator_value:
            if name not in error.instance:
                yield path + [name]
        return
    parts = list(error.absolute_schema_path)
    if "propertyNames" in parts:
        # What is wrong with a key is reported at the key.
        yield path + [error.instance]
        return
    yield path


def existing(instance, path):
    """The path up to the first step that the instance does not have."""
    result = []
    for step in path:
        if isinstance(instance, list) and str(step).isdigit():
            step = int(step)
            if step >= len(instance):
                break
        elif not isinstance(instance, dict):
            break
        result.append(str(step))
        if isinstance(instance, dict) and step not in instance:
            break
        instance = instance[step]
    return tuple(result)


def steps(pointer):
    parts = pointer.split("/")[1:]
    return [part.replace("~1", "/").replace("~0", "~") for part in parts]


def has(schema, test):
    """Whether something in a schema passes a test."""
    if isinstance(schema, dict):
        return test(schema) or any(has(value, test) for value in schema.values())
    return isinstance(schema, list) and any(has(value, test) for value in schema)


def main(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line, parse_float=decimal.Decimal) for line in file]
    seed = lines[0]["seed"]
    count = exact_count = wrong = 0
    for case in lines[1:]:
        schema = case["schema"]
        Draft202012Validator.check_schema(schema)
        validator = Validator(schema, format_checker=FormatChecker(ASSERTED))
        plain_validator = Validator(schema)
        is_exact = case["exact"] and not has(
            schema, lambda part: part.get("format", "ipv4") not in ASSERTED
        )
        # What accepts nothing says so at one place, where rules say it at several.
        is_plain = case["samePaths"] and not has(schema, lambda part: part.get("not") == {})
        for instance in case["instances"]:
            value = instance["value"]
            errors = [leaf for error in validator.iter_errors(value) for leaf in leaves(error)]
            theirs = {existing(value, place) for error in errors for place in places(error)}
            ours = {existing(value, steps(path)) for path in instance["paths"]}
            unread = [existing(value, steps(path)) for path in instance["unread"]]
            known = {p for p in theirs if not any(p[: len(u)] == u for u in unread)}
            count += 1
            exact_count += is_exact
            if is_exact:
                fits = instance["valid"] == (not errors)
                if is_plain:
                    fits = fits and ours <= theirs and known <= ours
            else:
                fits = not (instance["valid"] and errors) and (not is_plain or known <= ours)
            leaf_errors = [
                leaf for error in plain_validator.iter_errors(value) for leaf in every_leaf(error)
            ]
            their_places = {existing(value, p) for error in leaf_errors for p in places(error)}
            imported = {existing(value, steps(path)) for path in instance["imported"]}
            if imported != their_places:
                fits = False
                print("imported", sorted(imported), "theirs", sorted(their_places))
            if not fits:
                wrong += 1
                if wrong <= 10:
                    print(f"{case['name']}, exact: {is_exact}, plain: {is_plain}")
                    print("  schema", json.dumps(schema, default=str, ensure_ascii=False))
                    print("  value ", json.dumps(value, default=str))
                    print("  ours  ", instance["valid"], sorted(ours), "unread", unread)
                    print("  theirs", not errors, sorted(theirs))
    print(f"seed {seed}: {count} values, {exact_count} of them by exact schemas, {wrong} differ")
    sys.exit(1 if wrong or exact_count < 2000 else 0)


main(sys.argv[1])
