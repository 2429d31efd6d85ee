"""Lock that allows one writer at a time for a store; it ends with the process that holds it."""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

NAME = ".lock"
_PLACE = 1 << 20  # of the byte that is locked on Windows, where a locked byte cannot be read by others
_held: set[Path] = set()  # locks of POSIX do not part threads of one process
_access = threading.Lock()


class Lock:
    """The right to write to a store, until `release` or the end of the process.

    Parameters
    ----------
    folder : Path
        The store.

    Raises
    ------
    ValueError
        If another call writes to it, naming its process.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder.resolve() / NAME
        with _access:
            if self._path in _held:
                raise _in_use(folder, {"process": os.getpid(), "host": socket.gethostname()})
            self._file: Any = self._path.open("a+b")
            while True:
                try:
                    _lock(self._file.fileno())
                except OSError as error:
                    holder = self._read()
                    self._file.close()
                    if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                        raise _in_use(folder, holder) from None
                    self._file = None  # of a file system without locks
                    warnings.warn(
                        f"store {str(folder)!r} cannot be locked ({error.strerror}): do not write to it from two "
                        "processes at once",
                        RuntimeWarning,
                        stacklevel=5,
                    )
                    return
                if self._is_current():
                    break
                self._file.close()  # just released, and removed
                self._file = self._path.open("a+b")
            _held.add(self._path)
        about = {
            "process": os.getpid(),
            "host": socket.gethostname(),
            "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
        self._file.seek(0)
        self._file.truncate()
        self._file.write(json.dumps(about).encode())
        self._file.flush()

    def _is_current(self) -> bool:
        """Return True while the locked file is still the one of that name."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except FileNotFoundError:
            return False

    def _read(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            self._file.seek(0)
            return dict(json.loads(self._file.read(1000)))
        return {}

    def release(self) -> None:
        """Release the lock."""
        if self._file is None:
            return
        with _access:
            if sys.platform != "win32":  # where an open file cannot be removed
                self._path.unlink(missing_ok=True)
            self._file.close()
            self._file = None
            _held.discard(self._path)


def _in_use(folder: Path, holder: dict[str, Any]) -> ValueError:
    who = f"process {holder['process']} on {holder.get('host')}" if "process" in holder else "another process"
    since = f" since {holder['since']}" if "since" in holder else ""
    return ValueError(
        f"store = {str(folder)!r} is in use by {who}{since}: wait until that call has ended, or use another path"
    )


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, _PLACE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
