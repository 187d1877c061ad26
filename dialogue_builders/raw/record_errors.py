"""What can be wrong with one record: unknown fields, types, labels."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from dialogue_builders.errors import RecordError, nearest
from dialogue_builders.raw.unrecognised import record_paths
from dialogue_builders.spec.record_type import RecordType


@lru_cache(maxsize=64)
def tolerant(kind: Any) -> Any:
    """Return the same type with unknown fields allowed, all the way down."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields: list[Any] = []
        for item in msgspec.structs.fields(kind):
            hint = tolerant(item.type)
            if item.default is not msgspec.NODEFAULT:
                fields.append((item.name, hint, item.default))
            elif item.default_factory is not msgspec.NODEFAULT:
                fields.append(
                    (item.name, hint, msgspec.field(default_factory=item.default_factory))
                )
            else:
                fields.append((item.name, hint))
        names = {item.name: item.encode_name for item in msgspec.structs.fields(kind)}
        return msgspec.defstruct(kind.__name__, fields, gc=False, rename=names)
    if get_origin(kind) in (list, dict):
        return get_origin(kind)[tuple(tolerant(part) for part in get_args(kind))]
    if get_origin(kind) is not None and any(_has_struct(part) for part in get_args(kind)):
        union = tolerant(get_args(kind)[0])
        for part in get_args(kind)[1:]:
            union = union | tolerant(part)
        return union
    return kind


def _has_struct(kind: Any) -> bool:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return True
    return any(_has_struct(part) for part in get_args(kind))


def _types_by_key(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the type of each field by its name in the JSON, which may not be the struct's."""
    hints = get_type_hints(kind)
    return {item.encode_name: hints[item.name] for item in msgspec.structs.fields(kind)}


def unknown_fields(value: Any, kind: Any, path: str = "") -> set[str]:
    """Return the paths (such as `content[].mood`) of fields that a type does not have."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict):
        known = _types_by_key(kind)
        here = {f"{path}.{name}".lstrip(".") for name in value if name not in known}
        for name in value.keys() & known.keys():
            here |= unknown_fields(value[name], known[name], f"{path}.{name}".lstrip("."))
        return here
    if get_origin(kind) is list and isinstance(value, list):
        return set().union(
            *(unknown_fields(part, get_args(kind)[0], f"{path}[]") for part in value)
        )
    if get_origin(kind) is dict and isinstance(value, dict):
        inner = get_args(kind)[1]
        return set().union(*(unknown_fields(p, inner, f"{path}.*") for p in value.values()))
    structs = [part for part in get_args(kind) if _has_struct(part)]
    return unknown_fields(value, structs[0], path) if len(structs) == 1 else set()


def plain_value(record: msgspec.Raw) -> Any:
    """Return a record's plain value; numbers beyond all bounds are no fault here.

    `msgspec` refuses `1e999`, and Python's own reader integers of more than some thousand digits.
    """
    try:
        return msgspec.json.decode(record)
    except msgspec.DecodeError:
        return json.loads(bytes(record), parse_int=float)


def explain_record(
    error: msgspec.DecodeError,
    record: msgspec.Raw,
    file_name: str,
    record_type: RecordType,
    place: str,
) -> RecordError:
    """Turn a decoder's error into one that names the record, the field and the way out.

    Args:
        place: which record it is: its id, or the line where it stands.
    """
    match = re.fullmatch(r"(.*?)(?: - at `\$(.*)`)?", str(error), re.DOTALL)
    message, path = (match[1], match[2]) if match else (str(error), None)
    value = plain_value(record)
    problem, next_step = _describe(message, path or "", value, record_type, place)
    missing = re.search(r"missing required field `(.*?)`", message)
    field_path = (
        (path or "").lstrip(".") if not missing else f"{path or ''}.{missing[1]}".lstrip(".")
    )
    return RecordError(
        problem,
        file=file_name,
        record=place,
        field=field_path.lstrip(".") or None,
        next_step=next_step,
    )


def _lookalike(value: dict[str, Any], record_type: RecordType) -> str | None:
    """Say which other record this one is; None where it is none that is known."""
    candidates = [(value, "")]
    inner = next(iter(value.values()), None)
    if not record_type.keyed and isinstance(inner, dict):
        # One object of records that have ids, where records alone are expected.
        candidates.append((inner, "one object with many records, of which the first is "))
    for candidate, form in candidates:
        for fields, what in record_type.lookalikes:
            if fields <= record_paths(candidate):
                return form + what
    return None


def _describe(
    message: str, path: str, value: Any, record_type: RecordType, place: str
) -> tuple[str, str]:
    """Say what is wrong with a record and what to do about it."""
    known = {item.encode_name for item in msgspec.structs.fields(record_type.type)}
    if record_type.keyed and place in known:
        return (
            "stands where an id should: the file is column-wise, or one record alone",
            "write it as {id: record} (a pandas table: to_json(orient='index'))",
        )
    if isinstance(value, dict):
        lookalike = _lookalike(value, record_type)
        if lookalike is not None:
            return (
                f"is not a {record_type.name}, but {lookalike}",
                "give the folder that holds the right files",
            )
    if not path and not isinstance(value, dict):
        return (
            f"is not a {record_type.name}: an object is expected here, not {value!r:.60}",
            "correct the raw file, or fetch it again",
        )
    if "missing required field" in message:
        return "this field is missing", f"a {record_type.name} has {', '.join(sorted(known))}"
    if message.startswith("Invalid enum value"):
        allowed = _choices(path, record_type.type)
        got = message.removeprefix("Invalid enum value ").strip("'")
        hint = nearest(got, [str(choice) for choice in allowed if choice != ""])
        listed = ", ".join(repr(choice) for choice in allowed)
        step = f"did you mean {hint!r}?" if hint else "correct the label in the raw file"
        return f"the label {got!r} is not known; known: {listed}", step
    return message[:1].lower() + message[1:], "correct the raw file, or fetch it again"


def _choices(path: str, kind: Any) -> list[str | int]:
    """Return the labels that are allowed at a path such as `.content[3].sentiment`."""
    for name in re.findall(r"\.([^.\[]+)|\[[^\]]*\]", path):
        if name:
            structs = [k for k in (kind, *get_args(kind)) if hasattr(k, "__struct_fields__")]
            kind = _types_by_key(structs[0])[name] if structs else kind
        elif get_origin(kind) in (list, dict):
            kind = get_args(kind)[-1]
    # An optional label is a union, whose parts are the labels and None.
    parts = [part for choice in get_args(kind) for part in (choice, *get_args(choice))]
    return [choice for choice in parts if isinstance(choice, (str, int))]
