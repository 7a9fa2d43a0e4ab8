# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The files generated from src/base/config.toml are what the generator makes of it now."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_generator():
    spec = importlib.util.spec_from_file_location("gen_config", ROOT / "tools/gen/config.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gen = load_generator()


def table(**changes):
    """One variable as TOML, with changes; None drops a key."""
    keys = {"name": "CSP_X", "type": "int", "default": 1, "min": 0, "max": 9, "help": "h"} | changes
    lines = [f"{k} = {json.dumps(v)}" for k, v in keys.items() if v is not None]
    return "[[variable]]\n" + "\n".join(lines) + "\n"


def test_generated_files_are_fresh():
    assert gen.stale() == []


def test_a_change_of_the_table_shows(tmp_path):
    for name in [gen.TOML, *gen.OUTPUTS]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    assert gen.stale(tmp_path) == []
    (tmp_path / gen.TOML).write_text((tmp_path / gen.TOML).read_text() + table())
    assert gen.stale(tmp_path) == list(gen.OUTPUTS)
    gen.write(tmp_path)
    assert gen.stale(tmp_path) == []


def test_every_variable_is_in_every_output():
    variables = gen.load((ROOT / gen.TOML).read_text())
    for name in gen.OUTPUTS:
        text = (ROOT / name).read_text()
        for var in variables:
            if name.endswith(".md") and var.get("internal"):
                assert f"`{var['name']}`" not in text
            else:
                assert var["name"] in text


def test_internal_variables_are_parsed_but_not_documented():
    variables = gen.load(table(internal=True))
    assert "CSP_X" not in gen.make_markdown(variables)
    assert 'CSP_CONFIG_INT(x, "CSP_X"' in gen.make_inc(variables)
    assert json.loads(gen.make_json(variables))["variables"][0]["internal"] is True


@pytest.mark.parametrize(
    ("text", "bytes_"), [("0", 0), ("12", 12), ("1K", 1024), ("16M", 16 << 20), ("1T", 1 << 40)]
)
def test_sizes(text, bytes_):
    assert gen.size_bytes(text) == bytes_


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "X"},
        {"name": "CSP_x"},
        {"name": "CSP_A-B"},
        {"type": "float"},
        {"default": 10},
        {"default": "1"},
        {"default": True},
        {"min": None},
        {"help": None},
        {"values": ["a"]},
        {"colour": "red"},
        {"type": "size"},
        {"type": "size", "default": "1Q", "min": "0", "max": "2"},
        {"type": "enum", "min": None, "max": None, "values": ["a", "b"], "default": "c"},
        {"type": "enum", "min": None, "max": None, "values": ["A"], "default": "A"},
        {"type": "bool", "min": None, "max": None, "default": 1},
    ],
)
def test_a_wrong_table_is_refused(changes):
    with pytest.raises(gen.TableError):
        gen.load(table(**changes))


def test_a_name_twice_is_refused():
    with pytest.raises(gen.TableError):
        gen.load(table() + table())
