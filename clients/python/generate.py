"""Generates src/fairlead/rest from docs/openapi.client.json with openapi-python-client, before every build."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "docs" / "openapi.client.json"
TARGET = HERE / "src" / "fairlead" / "rest"


class GenerateHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if DOCUMENT.exists():
            generate()
        elif not TARGET.exists():  # A source distribution carries what was generated, and not the document.
            sys.exit("There is no docs/openapi.client.json: run `npm ci` or `npm run generate` in the repository first.")


def reduced(document):
    """Without what fairlead/client.py takes care of: errors are raised, keys are added, headers are read from answers."""
    for operations in document["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)
            answers = operation["responses"].items()
            operation["responses"] = {status: answer for status, answer in answers if status.startswith("2")}
            for answer in operation["responses"].values():
                answer.pop("headers", None)
    for unused in ("responses", "headers", "securitySchemes"):
        document["components"].pop(unused, None)
    return document


def generate():
    with tempfile.TemporaryDirectory() as folder:
        path, config = Path(folder) / "document.json", Path(folder) / "config.json"
        path.write_text(json.dumps(reduced(json.loads(DOCUMENT.read_text("utf-8")))), "utf-8")
        config.write_text(json.dumps({"post_hooks": []}), "utf-8")
        shutil.rmtree(TARGET, ignore_errors=True)
        arguments = ["generate", "--path", path, "--config", config, "--output-path", TARGET, "--meta", "none"]
        arguments += ["--custom-template-path", HERE / "templates"]
        subprocess.run([sys.executable, "-m", "openapi_python_client", *map(str, arguments)], check=True)
