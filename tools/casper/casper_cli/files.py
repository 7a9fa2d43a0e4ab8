# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Files that the command writes: whole, or not at all."""

import contextlib
import os
import tempfile

from casper_cli.errors import CasperError


@contextlib.contextmanager
def folder_of(path, remedy):
    """The folder of a file that is to be written, made if it was not there."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(folder, exist_ok=True)
        yield folder
    except OSError as error:
        raise CasperError(f"{path} cannot be written: {error.strerror}", remedy) from error


def check_writable(path, remedy):
    """An error if `replace` could not write it."""
    with folder_of(path, remedy) as folder, tempfile.NamedTemporaryFile("w", dir=folder):
        pass


@contextlib.contextmanager
def replacing(path, remedy):
    """A file to write it to; what was there before stays if that fails."""
    with folder_of(path, remedy) as folder:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            try:
                yield file
                file.flush()
                os.chmod(file.name, 0o644)
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise


def replace(path, text, remedy):
    """Writes it; what was there before stays if that fails."""
    with replacing(path, remedy) as file:
        file.write(text)
