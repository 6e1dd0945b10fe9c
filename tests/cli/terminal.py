"""A terminal with a person before it: a real process, its screen as text, and keys."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pexpect

ROOT = Path(__file__).resolve().parents[2]
_CODE = re.compile(r"\x1b\[([?>=]?)([\d;]*)([A-Za-z])|\x1b\][^\x07]*\x07|\x1b[=>78]|\x1b[()].")


class Screen:
    """What a terminal shows: as much of its language as the questionnaire speaks."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.rest = ""

    def feed(self, data: str) -> None:
        data, self.rest, i = self.rest + data, "", 0
        while i < len(data):
            if data[i] == "\x1b":
                code = _CODE.match(data, i)
                if code is None:
                    self.rest = data[i:]  # the end of the code has not arrived yet
                    return
                self._obey(code)
                i = code.end()
            else:
                self._write(data[i])
                i += 1

    def _write(self, sign: str) -> None:
        if sign == "\r":
            self.column = 0
        elif sign == "\n":
            self.row = min(self.rows - 1, self.row + 1)
        elif sign == "\b":
            self.column = max(0, self.column - 1)
        elif sign.isprintable():
            if self.column == self.columns:
                self.row, self.column = min(self.rows - 1, self.row + 1), 0
            self.cells[self.row][self.column] = sign
            self.column += 1

    def _obey(self, code: re.Match[str]) -> None:
        if code[3] is None:
            return
        numbers = [int(n) for n in code[2].split(";") if n]
        if code[1]:
            if numbers == [1049]:  # to the other screen and back: both are empty
                self.cells = [[" "] * self.columns for _ in range(self.rows)]
                self.row = self.column = 0
            return
        n = numbers[0] if numbers else 1
        if code[3] == "H":
            self.row, self.column = (n - 1, numbers[1] - 1) if len(numbers) > 1 else (0, 0)
        elif code[3] in "ABCD":
            down, right = {"A": (-n, 0), "B": (n, 0), "C": (0, n), "D": (0, -n)}[code[3]]
            self.row = min(self.rows - 1, max(0, self.row + down))
            self.column = min(self.columns - 1, max(0, self.column + right))
        elif code[3] == "K":
            self.cells[self.row][self.column :] = [" "] * (self.columns - self.column)
        elif code[3] == "J":
            first = 0 if numbers == [2] else self.row
            for row in range(first, self.rows):
                start = self.column if row == self.row and numbers != [2] else 0
                self.cells[row][start:] = [" "] * (self.columns - start)

    @property
    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self.cells)


class Person:
    """Somebody at a terminal who runs a command of ours."""

    def __init__(self, *arguments: str | Path, rows: int = 24, columns: int = 80) -> None:
        self.screen = Screen(rows, columns)
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "lexicloud", *map(str, arguments)],
            dimensions=(rows, columns),
            encoding="utf-8",
            cwd=str(ROOT),
            timeout=60,
        )

    def sees(self, text: str, seconds: float = 60) -> str:
        """Wait until a text is on the screen and the screen rests, and return it."""
        end = time.monotonic() + seconds
        while self._reads() or text not in self.screen.text:
            if not self.process.isalive() and not self._reads():
                assert text in self.screen.text, f"ended without {text!r}:\n{self.screen.text}"
                break
            assert time.monotonic() < end, f"no {text!r} on the screen:\n{self.screen.text}"
        return self.screen.text

    def _reads(self) -> bool:
        """Take in what is drawn, and tell whether anything was: a screen may come in several pieces."""
        try:
            data = self.process.read_nonblocking(65536, timeout=0.1)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        # prompt_toolkit asks where the cursor is; a terminal answers.
        self.process.send("\x1b[1;1R" * data.count("\x1b[6n"))
        self.screen.feed(data)
        return True

    def presses(self, keys: str) -> None:
        self.process.send(keys)

    def leaves(self) -> int:
        """Wait for the end of the program, and return its exit code."""
        try:
            while True:
                self.screen.feed(self.process.read_nonblocking(65536, timeout=60))
        except pexpect.EOF:
            self.process.close()
        return self.process.exitstatus

    def dies(self) -> None:
        """Die in the middle, without a chance to say goodbye."""
        self.process.kill(9)
        self.process.close()
